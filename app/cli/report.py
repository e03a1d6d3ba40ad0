"""``lmkl-pad report``: the report of a saved test session, or of a test on recordings."""

from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.cli.common import (
    PresetName,
    check_files_apart,
    check_seconds,
    named_value,
    settings_with,
)
from app.cli.console import AsJson, Quiet, check_output, print_json, progress_bar, say, stop
from app.cli.exit_codes import ExitCode
from app.cli.passphrases import PassphraseFile, open_model

if TYPE_CHECKING:
    from app.headless.sessions import SavedSession
    from app.headless.testing import Planned, Tested
    from app.models.model import PadModel
    from app.models.summary import ModelSummary
    from app.reports import Report

ATTACK_FORM = "--attack SPECIES=PATH, such as print=clip.mp4"


def report_command(
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The page (.html); JSON and CSV of the same name are written beside it.",
        ),
    ],
    session: Annotated[
        Path | None,
        typer.Argument(
            metavar="SESSION",
            show_default=False,
            help="JSON of a session, or of a report that the window or this command saved.",
        ),
    ] = None,
    model_file: Annotated[
        Path | None,
        typer.Option(
            "--model", metavar="MODEL", help="The model that is tested, or that the report is of."
        ),
    ] = None,
    bona_fide: Annotated[
        list[str] | None,
        typer.Option(
            "--bona-fide",
            metavar="PATH",
            help="A recording of the genuine person, or a folder of them; may be repeated.",
        ),
    ] = None,
    attacks: Annotated[
        list[str] | None,
        typer.Option(
            "--attack",
            metavar="SPECIES=PATH",
            help="A recording of an attack, or a folder of them; may be repeated.",
        ),
    ] = None,
    every: Annotated[
        float | None,
        typer.Option(
            "--every", min=0.0, metavar="S", help="Seconds between frames of a recording; 0.2."
        ),
    ] = None,
    save_session: Annotated[
        Path | None,
        typer.Option("--session", metavar="FILE", help="Write the bare session here as well."),
    ] = None,
    details: Annotated[
        Path | None,
        typer.Option("--details", metavar="FILE", help="TOML: who tested, with what, and so on."),
    ] = None,
    plan_file: Annotated[
        Path | None,
        typer.Option("--plan", metavar="FILE", help="TOML: how many presentations are wanted."),
    ] = None,
    preset: PresetName = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write the ISO/IEC 30107-3 report of a test: a page, JSON and CSV.

    Either of a saved SESSION, or of a test that runs now on recordings: give --model, and what is
    presented with --bona-fide and --attack. Every recording is one presentation.
    """
    from app.headless.outputs import write_bytes
    from app.headless.sessions import read_session, session_text
    from app.headless.testing import EVERY
    from app.models.summary import describe
    from app.reports import Context, build, write
    from app.reports.writing import files_of
    from app.session.guided_test.details import read_details
    from app.session.guided_test.plans import read_plan
    from app.session.guided_test.presentation import ENOUGH_FRAMES

    is_test = bool(bona_fide or attacks)
    if (session is None) is not is_test:
        stop(
            "Give either a SESSION, or --model with --bona-fide and --attack; not both.",
            ExitCode.USAGE,
        )
    check_seconds(every)
    for path in (output, save_session):
        if path is not None:
            check_output(path)
    check_files_apart((save_session, *files_of(output)), ())
    stated = None if details is None else read_details(details)
    test_plan = None if plan_file is None else read_plan(plan_file)
    code = ExitCode.OK
    source: str
    shown: ModelSummary | None
    if session is not None:
        saved = read_session(session)
        trial, source = saved.trial, saved.source or session.name
        shown = saved.model
        if model_file is not None:
            shown = _checked(saved, describe(open_model(model_file, passphrase_file)[0]))
    else:
        if model_file is None:
            stop("Say with --model which model is tested.", ExitCode.USAGE)
        plan = _plan(bona_fide, attacks)
        check_files_apart(
            (save_session, *files_of(output)), (model_file, *(one.source for one in plan))
        )
        model, _ = open_model(model_file, passphrase_file)
        tested = _tested(model, plan, every, preset, hidden=as_json or quiet)
        shown = describe(model)
        trial, source = tested.trial, ""
        for sentence in tested.unreadable:
            say(sentence)
            code = ExitCode.BAD_INPUT
        for name in tested.too_short:
            say(
                f"{name} is left out of the report: it has fewer than {ENOUGH_FRAMES} frames that "
                f"are {EVERY if every is None else every:g} seconds apart; record longer, or lower "
                "--every."
            )
    if not trial.presentations:
        stop(
            "There is no presentation to report on: name recordings of at least a second.",
            code if code is not ExitCode.OK else ExitCode.NO_FRAMES,
        )
    trial.details = stated or trial.details
    trial.plan = test_plan or trial.plan
    created = datetime.now().astimezone()
    report = write(build(trial, Context(source, shown, version("lmkl-pad"), created)), output)
    if save_session is not None:
        write_bytes(save_session, session_text(trial).encode("utf-8", "replace"))
    if as_json:
        _print_json(report)
    elif not quiet:
        _print(report)
    raise typer.Exit(code)


def _plan(bona_fide: list[str] | None, attacks: list[str] | None) -> "list[Planned]":
    """Return a presentation for every recording that was named or lies in a named folder."""
    from app.headless.reading import recordings_in
    from app.headless.testing import Planned
    from app.session.guided_test.presentation import species_name
    from app.types import BONA_FIDE

    plan = [Planned(BONA_FIDE, found) for path in bona_fide or [] for found in recordings_in(path)]
    for text in attacks or []:
        typed, path = named_value(text, ATTACK_FORM)
        species = species_name(typed)
        if species == BONA_FIDE:
            stop(f"{BONA_FIDE} is no attack: name it with --bona-fide.", ExitCode.USAGE)
        plan += [Planned(species, found) for found in recordings_in(path)]
    seen: set[Path] = set()
    for planned in plan:
        file = Path(planned.source).resolve()
        if file in seen and file.exists():
            # Counted twice, it would make intervals narrower than they are.
            stop(
                f"{planned.source} is named twice: every recording is one presentation of one "
                "thing.",
                ExitCode.USAGE,
            )
        seen.add(file)
    return plan


def _tested(
    model: "PadModel",
    plan: "list[Planned]",
    every: float | None,
    preset: str | None,
    *,
    hidden: bool,
) -> "Tested":
    from app.headless.pipelines import pipeline_of
    from app.headless.testing import EVERY, run_test

    settings = settings_with()
    with progress_bar("preparing the networks", hidden=hidden) as tell:
        pipeline = pipeline_of(model, settings.detector, preset=preset, progress=tell)
        if not hidden:
            say(f"Presenting {len(plan)} recording{'' if len(plan) == 1 else 's'}")
        return run_test(
            pipeline,
            model,
            plan,
            every=EVERY if every is None else every,
            settings=settings,
            tell=tell,
        )


def _checked(saved: "SavedSession", shown: "ModelSummary") -> "ModelSummary":
    """Return the model's description, after telling where it is not the one that was tested."""
    tested = {one.digest for one in saved.trial.presentations if one.digest}
    if tested and shown.digest not in tested:
        say("The model is not the one that was tested; the report says so.")
    return shown


def _print_json(report: "Report") -> None:
    from app.reports.writing import as_document, files_of

    document = as_document(report)
    del document["session"], document["curves"]  # both are in the file
    print_json({"files": [str(file) for file in files_of(report.html)], "report": document})


def _print(report: "Report") -> None:
    console = Console(highlight=False)
    shown = report.shown
    table = Table(title="Report", title_justify="left")
    table.add_column("figure")
    table.add_column("value")
    for name, value in shown.figures:
        table.add_row(Text(name), Text(value))
    console.print(table)
    for sentence in shown.warnings:
        console.print(sentence, markup=False, soft_wrap=True)
    console.print(
        f"Wrote {shown.html}, with JSON (the session included) and CSV beside it.",
        markup=False,
        soft_wrap=True,
    )
