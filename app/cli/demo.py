"""``lmkl-pad demo``: the whole workflow on generated recordings, without a screen."""

import json
import subprocess
import tempfile
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.cli.console import (
    AS_JSON,
    ExitCode,
    option,
    print_json,
    progress_bar,
    say,
    stop,
    text_table,
)
from app.cli.models import uncertified
from app.cli.outputs import make_folder
from app.demo import run
from app.demo.run import DemoResult, GroupResult
from app.models.files import save
from app.models.summary import describe, known, threshold_facts
from app.reports import Context, build, write
from app.reports.words import span
from lmkl_core.calibration.threshold import percent
from lmkl_core.errors import ModelFileError
from lmkl_core.system.files import write_atomically
from lmkl_core.system.processes import module_command, module_environment

DEFAULT_OUTPUT = Path("lmkl-pad-demo")
"""Output folder if the demo runs in place of the window."""

MODEL_FILE = "demo-model.safetensors"
JSON_FILE = "demo.json"
REPORT_FILE = "demo-report.html"
WINDOW_FILE = "demo-window.png"

STATEMENT = "generated recordings of a person who does not exist"

INDEPENDENCE_NOTE = (
    "Intervals are exact (Clopper-Pearson, 95 %) for independent presentations. Each of these is a "
    "separate recording, but all show one generated person in front of one generated camera, and "
    "generated attacks only approximate real ones."
)

WINDOW_PICTURE_MODULE = "app.qt.window_picture"

PICTURE_TIMEOUT = 300.0  # seconds; usually it takes twenty


def command(
    output: Path | None = option(
        "--output -o DIR",
        f"Output folder, for {MODEL_FILE}, {REPORT_FILE}, {WINDOW_FILE} and {JSON_FILE}.",
    ),
    picture: bool = option(
        "--picture/--no-picture", "Save a screenshot of the window; needs no screen.", True
    ),
    as_json: bool = AS_JSON,
) -> None:
    """Enrol a generated person, fit a model and test it on attacks it never saw."""
    run_and_print(output=output, as_json=as_json, picture=picture)


def run_and_print(
    *, output: Path | None, as_json: bool, picture: bool = True, is_short: bool = False
) -> None:
    """Run the demo, print its results, and write them if ``output`` is given.

    With ``is_short`` it takes less than half the time.
    """
    if output is not None:
        make_folder(output)
    try:
        with progress_bar("starting") as progress:
            result = run.run(progress=progress, size=run.SHORT if is_short else run.FULL)
    except ValueError as error:
        stop(f"The demo could not be run: {error}", ExitCode.FAILED)
    figures = as_document(result)
    if as_json:
        print_json(figures)
    else:
        print_demo(result, Console())
    if output is not None:
        _write(result, figures, output)
        if picture:
            with progress_bar("taking a picture of the window"):
                problem = take_window_picture(output / MODEL_FILE, output / WINDOW_FILE)
            if problem:
                say(problem)
        names = (MODEL_FILE, REPORT_FILE, WINDOW_FILE, JSON_FILE)
        written = ", ".join(name for name in names if (output / name).exists())
        typer.echo(f"Wrote {written} to {output}.", err=as_json)
    if not result.is_certified:
        stop(uncertified(result.model.gap_), ExitCode.UNCERTIFIED)


def _write(result: DemoResult, figures: dict[str, Any], folder: Path) -> None:
    created = datetime.now().astimezone()
    text = json.dumps(figures, indent=2, allow_nan=False) + "\n"
    try:
        saved = save(result.pad, folder / MODEL_FILE).model
        source = "Built-in demo (generated recordings)"
        context = Context(source, describe(saved), version("lmkl-pad"), created, result.conditions)
        write(build(result.guided_test, context), folder / REPORT_FILE)
        # The picture of an earlier run would show another model.
        (folder / WINDOW_FILE).unlink(missing_ok=True)
        write_atomically(folder / JSON_FILE, text.encode("utf-8"))
    except (OSError, ModelFileError) as error:
        why = getattr(error, "strerror", None) or str(error)
        stop(f"Cannot write to {folder}: {why}.", ExitCode.UNWRITABLE)


def as_document(result: DemoResult) -> dict[str, Any]:
    """Return the demo's figures as JSON values; rates are fractions, not percentages."""
    model, calibration = result.model, result.model.calibration_
    return {
        "data": STATEMENT,
        "seed": result.seed,
        "features": result.pad.features,
        "model_digest": result.pad.digest,
        "enrolled": {"n": result.n_enrolled, "takes": list(result.takes)},
        "views": [str(name) for name in model.view_names_],
        "kernel_weights": model.kernel_weights_.tolist(),
        "relative_gap": float(model.gap_),
        "certified": result.is_certified,
        "threshold": {
            **threshold_facts(calibration),
            "n_blocks": int(calibration.n_blocks),
            "n_takes": int(calibration.n_takes),
            "stress_bpcer": known(calibration.stress_bpcer),
            "stress_bpcer_interval": [known(end) for end in calibration.stress_interval],
        },
        "results": [_group_as_json(item) for item in result.results],
        "presentations": [
            {
                "number": one.presentation.number,
                "group": one.group,
                "species": one.presentation.species,
                "light": one.take.condition,
                "session": one.take.session,
                "take": one.take.name,
                "verdict": one.presentation.verdict.value,
                "mean_score": one.presentation.score,
                "n_frames": len(one.presentation.frames),
                "n_scored": len(one.presentation.scores),
            }
            for one in result.presented
        ],
        "note": INDEPENDENCE_NOTE,
    }


def _group_as_json(item: GroupResult) -> dict[str, Any]:
    tally, frames = item.tally, [frame for one in item.presentations for frame in one.frames]
    return {
        "name": item.name,
        "is_attack": item.is_attack,
        "n": tally.n,
        "n_accepted": tally.n_accepted,
        "n_refused": tally.n_refused,
        "n_unfamiliar": tally.n_unfamiliar,
        "n_no_response": tally.n_no_response,
        "error_rate": tally.errors.value,
        "error_interval": list(tally.errors.interval),
        "n_frames": sum(frame.score is not None for frame in frames),
        "n_frames_accepted": sum(frame.verdict.accepts for frame in frames),
    }


def print_demo(result: DemoResult, console: Console) -> None:
    lights = list(dict.fromkeys(name.rpartition(" ")[0] for name in result.takes))
    console.print(
        f"[bold]Demo on {STATEMENT}[/bold]: {result.n_enrolled} genuine frames "
        f"in {len(result.takes)} takes, in {len(lights)} lights ({', '.join(lights)})"
    )
    clusters = [f"cluster {number}" for number in range(1, len(result.model.kernel_weights_) + 1)]
    columns = zip(result.model.view_names_, result.model.kernel_weights_.T, strict=True)
    rows = [(name, *map("{:.3f}".format, weights)) for name, weights in columns]
    console.print(text_table("Kernel weights", ["view"], clusters, rows))
    verdict = "certified" if result.is_certified else "NOT certified"
    console.print(f"Relative optimality gap: {result.model.gap_:.1e} ({verdict})")
    calibration = result.model.calibration_
    stress = (
        f"{percent(calibration.stress_bpcer)}, 95 % interval {span(calibration.stress_interval)}"
    )
    console.print(
        f"Threshold: {calibration.threshold:.4f}; accept when score >= threshold\n"
        f"- Set to {calibration.origin}; no attack was used\n"
        f"- {calibration.statement}\n"
        f"- With whole conditions left out, as if never enrolled: BPCER {stress}",
        markup=False,
    )
    console.print(_verdicts_table(result))
    console.print(
        "Error: genuine presentations refused (BPCER) or attacks accepted (APCER, by species), "
        "of those with a response. No response: without a usable face."
    )
    console.print(f"[dim]{INDEPENDENCE_NOTE}[/dim]")


def _verdicts_table(result: DemoResult) -> Table:
    rows = []
    for is_attack, name in ((False, "all genuine"), (True, "all attacks")):
        members = [item for item in result.results if item.is_attack == is_attack]
        joined = tuple(one for item in members for one in item.presentations)
        for item in (*members, GroupResult(name, is_attack, joined)):
            tally = item.tally
            value = tally.errors.value
            rate = "-" if value is None else percent(value)
            interval = "-" if value is None else span(tally.errors.interval)
            counts = (tally.n, tally.n_accepted, tally.n_refused, tally.n_no_response)
            style = "bold" if item.name == name else ""
            rows.append([Text(str(cell), style) for cell in (item.name, *counts, rate, interval)])
    headings = ("n", "accepted", "refused", "no resp.", "error", "95 % interval")
    return text_table("Presentations not used for enrolment", ["presented"], headings, rows)


def take_window_picture(model: Path, picture: Path) -> str:
    """Save a picture of the window with a model at work; return why that failed, or nothing.

    Qt runs in a separate process, without a screen.
    """
    with tempfile.TemporaryDirectory() as folder:
        # Its temporary files go to the same folder: a process that is killed, by Ctrl-C or because
        # it takes too long, cannot remove them itself.
        scratch = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)
        environment = {**module_environment(), **scratch, "QT_QPA_PLATFORM": "offscreen"}
        taken = Path(folder, "window.png")
        command = [*module_command(WINDOW_PICTURE_MODULE), str(model), str(taken)]
        try:
            # `subprocess.run` does not wait for a process that it kills at Ctrl-C, so it could
            # still write to the folder that is being removed.
            with subprocess.Popen(
                command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            ) as process:
                try:
                    _, errors = process.communicate(timeout=PICTURE_TIMEOUT)
                finally:
                    process.kill()
                    process.wait()
            if process.returncode == 0 and taken.exists():
                write_atomically(picture, taken.read_bytes())
                return ""
            lines = errors.decode(errors="replace").split("\n")
            reason = next(filter(None, reversed(lines)), f"exit code {process.returncode}")
        except subprocess.TimeoutExpired:
            reason = f"not ready after {PICTURE_TIMEOUT:.0f} seconds"
        except OSError as error:
            reason = error.strerror or str(error)
    return f"{WINDOW_FILE} was not written, because Qt could not draw the window here ({reason})."
