"""``lmkl-pad score``: what a model says of pictures, videos and folders of them."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from pathlib import Path

import typer
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from app.capture.opening import source_from
from app.capture.source import SourceError
from app.cli.console import (
    AS_JSON,
    MODEL_FILE,
    PRESET,
    QUIET,
    ExitCode,
    option,
    print_json,
    progress_bar,
    say,
    stop,
)
from app.cli.contact_sheet import SUFFIXES, ContactSheet, encoded
from app.cli.inputs import Selection, recordings_in, settings_with
from app.cli.models import named_facts, pipeline_of
from app.cli.outputs import check_files_apart, check_output, growing_text, write_bytes
from app.cli.passphrases import PASSPHRASE_FILE, open_model
from app.cli.scoring import (
    InputResult,
    Write,
    csv_writer,
    jsonl_writer,
    score_input,
)
from app.models.model import PadModel
from app.types import ScoredFrame


class Format(StrEnum):
    """A summary for people, or a row for every frame."""

    TABLE = "table"
    CSV = "csv"
    JSONL = "jsonl"


_BY_SUFFIX = {".csv": Format.CSV, ".jsonl": Format.JSONL, ".ndjson": Format.JSONL}


def command(
    model_file: Path = MODEL_FILE,
    inputs: list[str] = typer.Argument(
        ...,
        metavar="INPUT",
        help="Videos, pictures, folders; also demo, camera, camera:NAME, an address.",
    ),
    form: Format | None = option(
        "--format",
        "A table of the inputs, or a row for every frame; by default a table, or what the "
        "output's name ends in.",
    ),
    output: Path | None = option("--output -o FILE", "Write the rows to this .csv or .jsonl file."),
    strip: Path | None = option(
        "--strip FILE", "Draw the most and the least genuine frames into this .png or .jpg file."
    ),
    tiles: int = option("--tiles N", "Frames of each kind in it.", 8, min=1, max=100),
    frames: int | None = option(
        "--frames N", "At most N frames of each input, spread evenly.", min=1
    ),
    every: int = option("--every N", "Every Nth frame.", 1, min=1),
    apart: bool = option("--apart", "Every picture of a folder is an input of its own.", False),
    preset: str | None = PRESET,
    passphrase_file: Path | None = PASSPHRASE_FILE,
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Score frames by a model, and judge every input by the mean of its frames.

    A folder is searched with all folders in it: every video is an input, and so are the pictures
    of one folder together. The views are those the model was made with.
    """
    form = _format(form, output, as_json=as_json)
    _check_files(output, strip, inputs)
    settings = settings_with()
    texts = [found for text in inputs for found in recordings_in(text, apart=apart)]
    if frames is None and (endless := [text for text in texts if source_from(text).is_live]):
        stop(f"{endless[0]} has no end: say with --frames how many to score.", ExitCode.USAGE)
    check_files_apart((output, strip), (model_file, *texts))
    selection = Selection(every, frames)
    results: list[InputResult] = []
    code = ExitCode.OK
    model, _ = open_model(model_file, passphrase_file)
    with progress_bar("preparing the networks", hidden=as_json or quiet) as tell:
        pipeline = pipeline_of(model, settings.detector, preset=preset, progress=tell)
        sheet = ContactSheet(tiles, model.threshold)
        with _rows_written(form, output) as write:
            for text in texts:
                result = InputResult(text, model.threshold)
                results.append(result)
                try:
                    for scored in score_input(
                        pipeline, model, text, selection, result, settings, tell
                    ):
                        write(result, scored)
                        if strip is not None:
                            sheet.offer(result.source, scored)
                except SourceError as error:
                    result.error = str(error)
                    code = ExitCode.BAD_INPUT
                    say(result.error)
                write(result, None)
    if strip is not None and any(sheet.rows):
        write_bytes(strip, encoded(sheet.picture(), strip))
    if as_json:
        inputs_facts = [result.facts() for result in results]
        print_json({"model": named_facts(model), "inputs": inputs_facts})
    elif not quiet:
        rows_are_on_stdout = form is not Format.TABLE and output is None
        _print(model, results, Console(stderr=rows_are_on_stdout, highlight=False))
    if code is ExitCode.OK and not any(result.n_scored for result in results):
        n_frames = sum(len(result.frames) for result in results)
        stop(
            f"No frame of {n_frames} could be scored, because none shows a usable face: "
            "--format csv tells why for each.",
            ExitCode.NO_FRAMES,
        )
    raise typer.Exit(code)


def _format(form: Format | None, output: Path | None, *, as_json: bool) -> Format:
    """Return the format of the output; refuse rows and JSON both on standard output."""
    if form is None and output is not None:
        form = _BY_SUFFIX.get(output.suffix.lower())
        if form is None:
            stop(
                f"Say with --format csv or jsonl what {output} shall be, or let its name end so.",
                ExitCode.USAGE,
            )
    form = form or Format.TABLE
    if form is Format.TABLE and output is not None:
        stop("A table is for the screen: choose --format csv or jsonl for a file.", ExitCode.USAGE)
    if as_json and form is not Format.TABLE and output is None:
        stop(
            "Rows and the JSON summary cannot both go to standard output: name a file for the "
            "rows with --output.",
            ExitCode.USAGE,
        )
    return form


def _check_files(output: Path | None, strip: Path | None, inputs: list[str]) -> None:
    """Refuse outputs that could not be written, before any work."""
    if strip is not None:
        if strip.suffix.lower() not in SUFFIXES:
            stop(f"Let the name of the strip {strip} end in {', '.join(SUFFIXES)}.", ExitCode.USAGE)
        for folder in filter(os.path.isdir, inputs):
            if strip.resolve().is_relative_to(Path(folder).resolve()):
                stop(
                    f"Draw the strip {strip} outside of {folder}: its pictures are scored, and so "
                    "would the strip be the next time.",
                    ExitCode.USAGE,
                )
        check_output(strip)
    if output is not None:
        check_output(output)


@contextmanager
def _rows_written(form: Format, output: Path | None) -> Iterator[Write]:
    """Yield what writes rows as they come; a file gets its name when all are in it."""
    if form is Format.TABLE:
        yield lambda *_: None
        return
    make = csv_writer if form is Format.CSV else jsonl_writer
    with nullcontext(sys.stdout) if output is None else growing_text(output) as stream:
        write = make(stream)

        def write_through(result: InputResult, scored: ScoredFrame | None) -> None:
            write(result, scored)
            if output is None:
                stream.flush()  # for those who read along

        yield write_through


def _print(model: PadModel, results: list[InputResult], console: Console) -> None:
    table = Table(title="Scores", title_justify="left")
    table.add_column("input", overflow="fold")
    rows = [_cells(result) for result in results]
    headings = ["verdict", "mean score", "frames scored", "accepted"]
    if any(one.decision and one.decision.liveness is not None for one in results):
        headings.append("looks live")
    # Where there is little room the names are folded, not the figures.
    for heading in headings:
        width = max(len(row[heading]) for row in rows)
        justify: JustifyMethod = "left" if heading == "verdict" else "right"
        table.add_column(heading, justify=justify, min_width=width)
    for row in rows:
        table.add_row(*(Text(row[heading]) for heading in ("input", *headings)))
    console.print(table)
    if len(results) == 1 and (decision := results[0].decision):
        console.print(Text(decision.reason))
    console.print(
        f"Threshold {model.threshold:.4f}: an input is genuine when its mean score reaches it."
    )


def _cells(result: InputResult) -> dict[str, str]:
    decision = result.decision
    verdict = "unreadable" if decision is None else decision.verdict.value
    score, liveness = (decision.score, decision.liveness) if decision else (None, None)
    return {
        "input": result.source,
        "verdict": f"{verdict} (simulated)" if result.is_simulated else verdict,
        "mean score": "-" if score is None else f"{score:.4f}",
        "frames scored": f"{result.n_scored} of {len(result.frames)}",
        "accepted": str(result.n_accepted),
        "looks live": "-" if liveness is None else f"{100 * liveness:.0f} %",
    }
