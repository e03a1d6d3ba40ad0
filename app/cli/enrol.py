"""``lmkl-pad enrol``: record takes and fit a model on them."""

from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from app.cli.console import (
    AS_JSON,
    PRESET,
    QUIET,
    ExitCode,
    option,
    print_json,
    progress_bar,
    say,
    stop,
    text_table,
)
from app.cli.inputs import check_one_recording, check_seconds, named_value, settings_with
from app.cli.models import (
    PASSPHRASE_FILE,
    model_facts,
    open_model,
    parity_facts,
    passphrase_for,
    pipeline_of,
    uncertified,
)
from app.cli.outputs import check_output
from app.cli.recorder import Recorder, TakeRecorded, TakeWanted
from app.models.files import PROTECTED_SUFFIX, SUFFIX, Export, save
from app.models.summary import CERTIFIED_GAP
from app.names import cleaned_name
from app.reports.words import span
from app.session.takes import coverage_by_person
from app.vision.pipeline import make_pipeline
from lmkl_core.calibration.threshold import percent
from lmkl_core.errors import ModelFileError

TAKE_FORM = "--take NAME=SOURCE or --take PERSON:NAME=SOURCE"


def command(
    output: Path = option(
        "--output -o FILE",
        "Model to write or replace: FILE.safetensors, or FILE.lmkl to protect it with a "
        "passphrase.",
        ...,
    ),
    sources: list[str] | None = typer.Argument(
        None,
        metavar="SOURCE",
        help="One take each: a video, a picture, a folder of pictures, camera, camera:NAME, an "
        "address, or demo.",
    ),
    takes: list[str] | None = option(
        "--take PERSON:NAME=SOURCE",
        "A named take; may be repeated. PERSON: is optional and says whose face it shows; all "
        "people share one model.",
    ),
    frames: int | None = option(
        "--frames N", "Keep at most N frames of each take; 35 by default.", min=1
    ),
    every: float | None = option(
        "--every S", "Seconds between frames, at least; 0.25 by default.", min=0.0
    ),
    preset: str | None = PRESET,
    target_bpcer: float | None = option(
        "--target-bpcer SHARE",
        "Share of genuine frames that the threshold may refuse, such as 0.05.",
    ),
    add_to: Path | None = option("--add-to MODEL", "Add the takes to this model."),
    passphrase_file: Path | None = PASSPHRASE_FILE,
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Learn a genuine face from takes and save the model.

    Defaults that are not stated below come from the window's settings.
    """
    wanted = _wanted(sources, takes)
    if output.suffix.lower() not in (SUFFIX, PROTECTED_SUFFIX):
        # If the name after -o was forgotten, a recording would be overwritten.
        stop(
            f"The model {output} must be named FILE{SUFFIX}, or FILE{PROTECTED_SUFFIX} to protect "
            "it with a passphrase.",
            ExitCode.USAGE,
        )
    check_seconds(every)
    settings = settings_with(preset=preset, target_bpcer=target_bpcer)
    check_output(output)
    base, passphrase = None, None
    if add_to is not None:
        base, passphrase = open_model(add_to, passphrase_file, reads_only=False)
    passphrase = passphrase_for(output, passphrase, passphrase_file)
    with progress_bar("preparing the networks", hidden=as_json or quiet) as progress:
        if base is None:
            pipeline = make_pipeline(settings.preset, settings.detector, progress=progress)
            features = pipeline.extractor.fingerprint()
        else:
            pipeline = pipeline_of(base, settings.detector, preset=preset, progress=progress)
            features = base.features
        recorder = Recorder(pipeline, settings, n_frames=frames, every=every, base=base)
        for take in wanted:
            if not (as_json or quiet):
                say(f"Enrolling {take.name or take.source}")
            if note := recorder.record(take, progress).note:
                say(note)
        progress(0, None, f"fitting on {len(recorder.samples)} frames")
        model = recorder.fit(features, target_bpcer)
        try:
            saved = save(model, output, passphrase=passphrase)
        except ModelFileError as error:
            stop(str(error), ExitCode.UNWRITABLE)
    if as_json:
        _print_json(recorder, saved)
    elif not quiet:
        _print(recorder, saved)
    gap = float(saved.model.estimator.gap_)
    if not gap <= CERTIFIED_GAP:
        stop(uncertified(gap), ExitCode.UNCERTIFIED)


def _wanted(sources: list[str] | None, takes: list[str] | None) -> list[TakeWanted]:
    """Return the requested takes; check every source before any work is done."""
    wanted = [TakeWanted(source) for source in sources or []]
    for text in takes or []:
        name, source = named_value(text, TAKE_FORM)
        person, mark, own = name.rpartition(":")
        # A time of day or an address contains a colon, too.
        is_time_or_address = own.strip().isdigit() or own.startswith("/")
        if mark and (
            is_time_or_address or ":" in person or not cleaned_name(person, 1) or not own.strip()
        ):
            stop(f"'{text}' cannot be used: write {TAKE_FORM}.", ExitCode.USAGE)
        wanted.append(TakeWanted(source, own.strip(), person.strip()))
    if not wanted:
        stop(
            "Name at least one source, for example: lmkl-pad enrol clip.mp4 -o face.safetensors.",
            ExitCode.USAGE,
        )
    for take in wanted:
        check_one_recording(take.source)
    return wanted


def _advice(recorder: Recorder) -> list[str]:
    items = coverage_by_person([(s.condition, s.take, s.person) for s in recorder.samples])
    return [item.advice for item in items if item.advice]


def _print_json(recorder: Recorder, saved: Export) -> None:
    takes = [
        {
            "name": take.name,
            "person": take.person or None,
            "source": take.source,
            "n_kept": len(take.samples),
            "n_seen": take.n_seen,
            "refused": dict(take.refused.most_common()),
            "note": take.note or None,
        }
        for take in recorder.takes
    ]
    facts = {"model": model_facts(saved.model), "takes": takes, "advice": _advice(recorder)}
    print_json(
        {**facts, "parity": parity_facts("lmkl-pad", saved.n_compared, saved.largest_difference)}
    )


def _print(recorder: Recorder, saved: Export) -> None:
    facts = model_facts(saved.model)
    console = Console(highlight=False)
    console.print(_takes_table(recorder.takes))
    if len(facts["people"]) > 1:
        console.print(_people_table(facts["people"]))
    threshold = facts["threshold"]
    verdict = "certified" if facts["certified"] else "NOT certified"
    lines = [
        *(f"  {count} x {reason}" for reason, count in recorder.refused.most_common()),
        f"Model: {facts['file']} ({facts['n_samples']} frames, preset {facts['preset']}"
        f"{', protected by a passphrase' if facts['is_protected'] else ''})",
        f"Relative optimality gap: {facts['relative_gap']:.1e} ({verdict})",
        f"Threshold: {threshold['value']:.4f}; accept when score >= threshold",
        f"- Set to {threshold['origin']}; no attack was used",
        f"- {threshold['statement']}",
        saved.statement,
        *facts["notes"],
        *(f"To improve it: {sentence}" for sentence in _advice(recorder)),
    ]
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def _takes_table(takes: list[TakeRecorded]) -> Table:
    rows = [
        (t.person or "-", t.name, t.source, len(t.samples), t.refused.total(), t.n_seen)
        for t in takes
    ]
    numbers = ("frames kept", "refused", "examined")
    return text_table("Takes", ("person", "take", "source"), numbers, rows)


def _people_table(people: list[dict[str, Any]]) -> Table:
    rows = [
        (
            person["name"] or "-",
            person["n_takes"],
            person["n_frames"],
            f"{person['median_score']:.3f}",
            f"{percent(person['bpcer'])} of {person['n_scores']}",
            span(person["bpcer_interval"]),
        )
        for person in people
    ]
    numbers = ("takes", "frames", "median score", "BPCER", "95 % interval")
    return text_table("People, left-out frames at the threshold", ["person"], numbers, rows)
