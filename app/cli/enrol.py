"""``lmkl-pad enrol``: takes from sources, and the model fitted on them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.cli.common import PresetName, check_seconds, named_value, settings_with
from app.cli.console import AsJson, Quiet, check_output, print_json, progress_bar, say, stop
from app.cli.exit_codes import ExitCode
from app.cli.passphrases import PassphraseFile, checked, new_passphrase, open_model
from app.names import cleaned_name

if TYPE_CHECKING:
    from app.headless.enrolling import TakeRecorded, TakeWanted
    from app.models.model import PadModel

TAKE_FORM = "--take NAME=SOURCE or --take PERSON:NAME=SOURCE"


def enrol_command(
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The model; an older one is replaced. FILE.safetensors, or FILE.lmkl to protect "
            "it with a passphrase.",
        ),
    ],
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE",
            show_default=False,
            help="A take each: a video, a folder of pictures, a picture, camera, camera:NAME, an "
            "address, demo.",
        ),
    ] = None,
    takes: Annotated[
        list[str] | None,
        typer.Option(
            "--take",
            metavar="PERSON:NAME=SOURCE",
            help="A take with a name; may be repeated. PERSON: says whose face it shows and may be "
            "left out. One model is fitted for all people.",
        ),
    ] = None,
    frames: Annotated[
        int | None,
        typer.Option("--frames", min=1, metavar="N", help="Frames kept of each take; 35."),
    ] = None,
    every: Annotated[
        float | None,
        typer.Option(
            "--every", min=0.0, metavar="S", help="Seconds between frames, at least; 0.25."
        ),
    ] = None,
    preset: PresetName = None,
    target_bpcer: Annotated[
        float | None,
        typer.Option(
            "--target-bpcer",
            metavar="SHARE",
            help="Share of genuine frames that the threshold may refuse; by default it follows the "
            "level of their scores.",
        ),
    ] = None,
    add_to: Annotated[
        Path | None,
        typer.Option(
            "--add-to", metavar="MODEL", help="Fold the takes into this model instead of a new one."
        ),
    ] = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Learn a genuine face from takes of it, and save the model.

    Parameters that no option names are those of the window's settings.
    """
    # Imported here, as in every command: --help should not wait for SciPy.
    from app.headless.enrolling import Recorder, model_from
    from app.headless.pipelines import pipeline_for, pipeline_of
    from app.models.files import PROTECTED_SUFFIX, SUFFIX, save
    from app.models.summary import CERTIFIED_GAP
    from lmkl_core.errors import ModelFileError

    wanted = _wanted(sources, takes)
    if output.suffix.lower() not in (SUFFIX, PROTECTED_SUFFIX):
        # What is forgotten after -o would be the next recording, and overwritten.
        stop(
            f"Let the name of the model {output} end in {SUFFIX}, or in {PROTECTED_SUFFIX} to "
            "protect it with a passphrase.",
            ExitCode.USAGE,
        )
    check_seconds(every)
    settings = settings_with(preset=preset, target_bpcer=target_bpcer)
    check_output(output)
    base, passphrase = _base_and_passphrase(
        add_to, output, passphrase_file, is_protected=output.suffix.lower() == PROTECTED_SUFFIX
    )
    with progress_bar("preparing the networks", hidden=as_json or quiet) as tell:
        if base is None:
            pipeline, features = pipeline_for(settings.preset, settings.detector, tell)
        else:
            pipeline = pipeline_of(base, settings.detector, preset=preset, progress=tell)
            features = base.features
        recorder = Recorder(
            pipeline,
            settings,
            n_frames=frames,
            every=every,
            base=base,
        )
        for take in wanted:
            if not (as_json or quiet):
                say(f"Enrolling {take.name or take.source}")
            if note := recorder.record(take, tell).note:
                say(note)
        tell(0, None, f"fitting on {len(recorder.samples)} frames")
        model = model_from(recorder, settings, features, base=base, target_bpcer=target_bpcer)
        try:
            export = save(model, output, passphrase=passphrase)
        except ModelFileError as error:
            stop(str(error), ExitCode.UNWRITABLE)
    if as_json or not quiet:
        _print(recorder.takes, export, as_json)
    gap = float(export.model.estimator.gap_)
    if not gap <= CERTIFIED_GAP:
        stop(
            f"The fit stopped at a relative gap of {gap:.1e}, above the {CERTIFIED_GAP:.0e} that "
            "counts as certified; the model is saved all the same.",
            ExitCode.UNCERTIFIED,
        )


def _base_and_passphrase(
    add_to: Path | None, output: Path, passphrase_file: Path | None, *, is_protected: bool
) -> "tuple[PadModel | None, str | None]":
    """Return the model that grows and the passphrase of the new file, before any work.

    What grows out of a protected model keeps its passphrase.
    """
    base, passphrase = None, None
    if add_to is not None:
        base, passphrase = open_model(add_to, passphrase_file, reads_only=False)
    if is_protected:
        if passphrase is not None:
            return base, checked(passphrase)
        return base, new_passphrase(output, passphrase_file)
    if passphrase is not None:
        say(f"{output.name} will not be protected, unlike {add_to}.")
    elif passphrase_file is not None:
        stop(
            f"{output.name} would not be protected: let its name end in .lmkl, or leave out "
            "--passphrase-file.",
            ExitCode.USAGE,
        )
    return base, None


def _wanted(sources: list[str] | None, takes: list[str] | None) -> "list[TakeWanted]":
    """Return the takes that were asked for, each source checked before any work."""
    from app.capture.opening import source_from
    from app.headless.enrolling import TakeWanted

    wanted = [TakeWanted(source) for source in sources or []]
    for text in takes or []:
        name, source = named_value(text, TAKE_FORM)
        person, mark, own = name.rpartition(":")
        # A time of day or an address is not a person and a name.
        is_other = own.strip().isdigit() or own.startswith("/")
        if mark and (is_other or ":" in person or not cleaned_name(person, 1) or not own.strip()):
            stop(f"'{text}' cannot be used: write {TAKE_FORM}.", ExitCode.USAGE)
        wanted.append(TakeWanted(source, own.strip(), person.strip()))
    if not wanted:
        stop(
            "Name at least one source, as in: lmkl-pad enrol clip.mp4 -o face.safetensors.",
            ExitCode.USAGE,
        )
    for take in wanted:
        source_from(take.source)
    return wanted


def _print(takes: "list[TakeRecorded]", export: Any, as_json: bool) -> None:
    from app.headless.summaries import missing_variety, model_facts, take_facts

    facts = model_facts(export.model)
    advice = missing_variety(sample for take in takes for sample in take.samples)
    if as_json:
        parity = {
            "engine": "lmkl-pad",
            "n_compared": export.n_compared,
            "largest_difference": export.largest_difference,
        }
        print_json(
            {
                "model": facts,
                "takes": [take_facts(take) for take in takes],
                "advice": advice,
                "parity": parity,
            }
        )
        return
    console = Console(highlight=False)
    console.print(_takes_table(takes))
    if len(facts["people"]) > 1:
        console.print(_people_table(facts["people"]))
    for reason, count in _reasons(takes):
        console.print(f"  {count} x {reason}", markup=False, soft_wrap=True)
    threshold = facts["threshold"]
    verdict = "certified" if facts["certified"] else "NOT certified"
    lines = [
        f"Model: {facts['file']} ({facts['n_samples']} frames, preset {facts['preset']}"
        f"{', protected by a passphrase' if facts['is_protected'] else ''})",
        f"Relative optimality gap: {facts['relative_gap']:.1e} ({verdict})",
        f"Threshold: {threshold['value']:.4f}; accept when score >= threshold",
        f"- Set to {threshold['origin']}; no attack was used",
        f"- {threshold['statement']}",
        export.statement,
        *facts["notes"],
        *(f"To do better: {sentence}" for sentence in advice),
    ]
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def _takes_table(takes: "list[TakeRecorded]") -> Table:
    table = Table(title="Takes", title_justify="left")
    has_people = any(take.person for take in takes)
    if has_people:
        table.add_column("person")
    table.add_column("take")
    table.add_column("source", overflow="fold")
    for heading in ("frames kept", "refused", "looked at"):
        table.add_column(heading, justify="right")
    for take in takes:
        table.add_row(
            *([Text(take.person or "-")] if has_people else ()),
            Text(take.name),
            Text(take.source),
            str(len(take.samples)),
            str(take.refused.total()),
            str(take.n_seen),
        )
    return table


def _people_table(people: list[dict[str, Any]]) -> Table:
    table = Table(title="People, left-out frames at the threshold", title_justify="left")
    table.add_column("person")
    for heading in ("takes", "frames", "median score", "BPCER", "95 % interval"):
        table.add_column(heading, justify="right")
    for person in people:
        low, high = person["bpcer_interval"]
        table.add_row(
            Text(person["name"] or "-"),
            str(person["n_takes"]),
            str(person["n_frames"]),
            f"{person['median_score']:.3f}",
            f"{person['bpcer']:.1%} of {person['n_scores']}",
            f"{low:.1%} to {high:.1%}",
        )
    return table


def _reasons(takes: "list[TakeRecorded]") -> list[tuple[str, int]]:
    from app.headless.enrolling import refused_in

    return refused_in(takes).most_common()
