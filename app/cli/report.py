"""``lmkl-pad report``: the report of a saved test session, or of a test on recordings.

Each recording is a presentation, judged like one in front of the camera
(`app.session.guided_test`): a frame every `EVERY` seconds from the beginning until it is complete.
All pictures of a folder are used, in order.
"""

from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import typer
from rich.console import Console

from app.capture.source import SourceError
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
from app.cli.inputs import (
    apart_in_time,
    check_seconds,
    named_value,
    opened,
    recordings_in,
    settings_with,
)
from app.cli.models import PASSPHRASE_FILE, open_model, pipeline_of
from app.cli.outputs import check_files_apart, check_output, write_bytes
from app.cli.saved_session import read_session, session_text
from app.models.model import PadModel
from app.models.summary import ModelSummary, describe
from app.names import counted
from app.reports import Context, Report, build, write
from app.reports.json_files import guided_test_document
from app.reports.writing import files_of
from app.session.decision import ENOUGH_FRAMES
from app.session.guided_test.details import read_details
from app.session.guided_test.guided_test import FRAMES_WANTED, SECONDS_WANTED, GuidedTest
from app.session.guided_test.plans import read_plan
from app.session.guided_test.presentation import species_name
from app.session.scoring import score_frame
from app.types import BONA_FIDE, ScoredFrame

ATTACK_FORM = "--attack SPECIES=PATH, such as print=clip.mp4"
EVERY = SECONDS_WANTED / FRAMES_WANTED


def command(
    output: Path = option(
        "--output -o FILE",
        "HTML page; JSON and CSV files are written beside it.",
        ...,
    ),
    session: Path | None = typer.Argument(
        None,
        metavar="SESSION",
        help="JSON file of a saved session or report.",
        readable=False,
    ),
    model_file: Path | None = option(
        "--model MODEL", "Model to test, or the model of the saved session."
    ),
    bona_fide: list[str] | None = option(
        "--bona-fide PATH",
        "Recording of the genuine person, or a folder of recordings; may be repeated.",
    ),
    attacks: list[str] | None = option(
        "--attack SPECIES=PATH",
        "Recording of an attack, or a folder of recordings; may be repeated.",
    ),
    every: float | None = option(
        "--every S", "Seconds between frames of a recording; 0.2 by default.", min=0.0
    ),
    save_session: Path | None = option("--session FILE", "Also write the session to this file."),
    details: Path | None = option(
        "--details FILE", "TOML file with the tester, the instruments and so on."
    ),
    plan_file: Path | None = option("--plan FILE", "TOML file with the planned presentations."),
    preset: str | None = PRESET,
    passphrase_file: Path | None = PASSPHRASE_FILE,
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Write the ISO/IEC 30107-3 report of a test as HTML, JSON and CSV.

    Give a saved SESSION, or run a test on recordings with --model, --bona-fide and --attack. Every
    recording is one presentation.
    """
    if (session is None) is not bool(bona_fide or attacks):
        stop(
            "Give either a SESSION, or --model with --bona-fide or --attack.",
            ExitCode.USAGE,
        )
    check_seconds(every)
    for path in filter(None, (output, save_session)):
        check_output(path)
    written = (save_session, *files_of(output))
    check_files_apart(written, ())
    test_details = None if details is None else read_details(details)
    test_plan = None if plan_file is None else read_plan(plan_file)
    code, source = ExitCode.OK, ""
    summary: ModelSummary | None
    if session is not None:
        saved = read_session(session)
        guided_test, source, summary = saved.guided_test, saved.source or session.name, saved.model
        if model_file is not None:
            summary = describe(open_model(model_file, passphrase_file)[0])
    else:
        if model_file is None:
            stop("Name the model to test with --model.", ExitCode.USAGE)
        plan = _plan(bona_fide, attacks)
        check_files_apart(written, (model_file, *(source for _, source in plan)))
        model, _ = open_model(model_file, passphrase_file)
        summary = describe(model)
        seconds = EVERY if every is None else every
        guided_test, code = _test(model, plan, seconds, preset, hidden=as_json or quiet)
    if not guided_test.presentations:
        stop(
            "There is no presentation to report on: use recordings of at least one second.",
            code if code is not ExitCode.OK else ExitCode.NO_FRAMES,
        )
    guided_test.details = test_details or guided_test.details
    guided_test.plan = test_plan or guided_test.plan
    created = datetime.now().astimezone()
    report = write(
        build(guided_test, Context(source, summary, version("lmkl-pad"), created)), output
    )
    if save_session is not None:
        write_bytes(save_session, session_text(guided_test).encode("utf-8", "replace"))
    if as_json:
        document = guided_test_document(report)
        del document["session"], document["curves"]  # both are in the file
        print_json({"files": [str(file) for file in files_of(report.html)], "report": document})
    elif not quiet:
        _print(report)
    if not as_json:
        for warning in report.summary.warnings:
            say(warning)
    raise typer.Exit(code)


def _print(report: Report) -> None:
    console = Console(highlight=False)
    summary = report.summary
    console.print(text_table("Report", ["figure", "value"], [], summary.figures))
    console.print(
        f"Wrote {summary.html}, with JSON (the session included) and CSV beside it.",
        markup=False,
        soft_wrap=True,
    )


def _plan(bona_fide: list[str] | None, attacks: list[str] | None) -> list[tuple[str, str]]:
    """Return species and source of every recording, named itself or found in a named folder."""
    plan = [(BONA_FIDE, found) for path in bona_fide or [] for found in recordings_in(path)]
    for text in attacks or []:
        typed, path = named_value(text, ATTACK_FORM)
        species = species_name(typed)
        if species == BONA_FIDE:
            stop(f"{BONA_FIDE} is not an attack: use --bona-fide instead.", ExitCode.USAGE)
        plan += [(species, found) for found in recordings_in(path)]
    seen: set[Path] = set()
    for _, source in plan:
        file = Path(source).resolve()
        if file in seen and file.exists():
            # Counted twice, it would make the intervals too narrow.
            stop(
                f"{source} is named twice: name every recording once, as one presentation.",
                ExitCode.USAGE,
            )
        seen.add(file)
    return plan


def _test(
    model: PadModel,
    plan: list[tuple[str, str]],
    every: float,
    preset: str | None,
    *,
    hidden: bool,
) -> tuple[GuidedTest, ExitCode]:
    """Present the recordings; report those that are unreadable or too short."""
    settings, guided_test, code = settings_with(), GuidedTest(), ExitCode.OK
    guided_test.use_model(model.digest)
    with progress_bar("preparing the networks", hidden=hidden) as progress:
        pipeline = pipeline_of(model, settings.detector, preset=preset, progress=progress)
        if not hidden:
            say(f"Presenting {counted(len(plan), 'recording')}")
        for n_done, (species, source) in enumerate(plan):
            progress(n_done, len(plan), f"presenting {species}: {source}")
            try:
                with opened(source, settings) as reading:
                    step = 0.0 if reading.has_stills else every
                    frames = apart_in_time(reading.frames(pipeline), step)
                    scored = (score_frame(pipeline, model, frame) for frame in frames)
                    if not _present(guided_test, species, reading.name, scored):
                        say(
                            f"{source} is left out of the report: it has fewer than {ENOUGH_FRAMES}"
                            f" frames {every:g} seconds apart; make a longer recording, or lower "
                            "--every."
                        )
            except SourceError as error:
                guided_test.cancel()
                say(str(error))
                code = ExitCode.BAD_INPUT
    return guided_test, code


def _present(
    guided_test: GuidedTest, species: str, source: str, frames: Iterator[ScoredFrame]
) -> bool:
    for number, scored in enumerate(frames):
        if number == 0:
            guided_test.start(species, bool(scored.frame.caption), Path(source).name)
        if guided_test.offer(scored):
            return True
    return guided_test.finish()
