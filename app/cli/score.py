"""``lmkl-pad score``: score pictures, videos and folders with a model.

An input is judged as in the guided test: fewer than `ENOUGH_FRAMES` scored frames are no response,
unless it has no more frames and all were scored. A single picture is judged by its one score.
"""

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.text import Text

from app.capture.opening import source_from
from app.capture.source import SourceError
from app.cli.console import (
    AS_JSON,
    MODEL_FILE,
    PRESET,
    QUIET,
    ExitCode,
    ProgressCallback,
    option,
    print_json,
    progress_bar,
    say,
    stop,
    text_table,
)
from app.cli.contact_sheet import SUFFIXES, ContactSheet, encode
from app.cli.inputs import Selection, opened, recordings_in, settings_with
from app.cli.models import PASSPHRASE_FILE, named_facts, open_model, pipeline_of
from app.cli.outputs import check_files_apart, check_output, rows_to, write_bytes
from app.models.model import PadModel
from app.names import spreadsheet_cell
from app.session.decision import ENOUGH_FRAMES, decide
from app.session.guided_test.presentation import kept_numbers
from app.session.scoring import score_frame
from app.settings import Settings
from app.types import Decision, Frame, FrameResult, ScoredFrame, Status, Verdict
from app.vision.pipeline import Pipeline

REPEATED = "Identical to the last scored frame, so it adds no evidence."
"""A frozen recording is a single picture."""


class Format(StrEnum):
    TABLE = "table"
    CSV = "csv"
    JSONL = "jsonl"


_BY_SUFFIX = {".csv": Format.CSV, ".jsonl": Format.JSONL, ".ndjson": Format.JSONL}


def command(
    model_file: Path = MODEL_FILE,
    inputs: list[str] = typer.Argument(
        ...,
        metavar="INPUT",
        help="Videos, pictures, folders, demo, camera, camera:NAME or an address.",
    ),
    form: Format | None = option(
        "--format",
        "A table of inputs, or a row per frame; by default a table, or the format of the output "
        "file.",
    ),
    output: Path | None = option(
        "--output -o FILE", "Write a row per frame to this .csv or .jsonl file."
    ),
    strip: Path | None = option(
        "--strip FILE",
        "Draw the frames with the highest and lowest scores into this .png or .jpg file.",
    ),
    tiles: int = option("--tiles N", "Frames of each kind in the strip.", 8, min=1, max=100),
    frames: int | None = option(
        "--frames N", "At most N frames of each input, evenly spread.", min=1
    ),
    every: int = option("--every N", "Every Nth frame.", 1, min=1),
    apart: bool = option("--apart", "Treat each picture in a folder as a separate input.", False),
    preset: str | None = PRESET,
    passphrase_file: Path | None = PASSPHRASE_FILE,
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Score frames with a model and judge every input by its mean score.

    Folders are searched recursively: every video is an input, and so are the pictures of one
    folder together.
    """
    form = _format(form, output, as_json=as_json)
    if strip is not None and strip.suffix.lower() not in SUFFIXES:
        stop(f"The strip {strip} must end in {', '.join(SUFFIXES)}.", ExitCode.USAGE)
    for folder in filter(os.path.isdir, inputs):
        if strip is not None and strip.resolve().is_relative_to(Path(folder).resolve()):
            stop(
                f"Choose a place for the strip outside {folder}: it would be scored next time.",
                ExitCode.USAGE,
            )
    for path in filter(None, (strip, output)):
        check_output(path)
    settings = settings_with()
    texts = [found for text in inputs for found in recordings_in(text, apart=apart)]
    if frames is None and (endless := [text for text in texts if source_from(text).is_live]):
        stop(f"{endless[0]} has no end: set the number of frames with --frames.", ExitCode.USAGE)
    check_files_apart((output, strip), (model_file, *texts))
    selection = Selection(every, frames)
    results: list[InputResult] = []
    code = ExitCode.OK
    model, _ = open_model(model_file, passphrase_file)
    sheet = ContactSheet(tiles, model.threshold)
    with progress_bar("preparing the networks", hidden=as_json or quiet) as progress:
        pipeline = pipeline_of(model, settings.detector, preset=preset, progress=progress)
        with rows_to(output) as write:
            if form is Format.CSV:
                write(_csv_line(COLUMNS))
            for text in texts:
                result = InputResult(text, model.threshold)
                results.append(result)
                try:
                    frames_of = score_input(pipeline, model, selection, result, settings, progress)
                    for scored in frames_of:
                        write(row_text(form, result, scored))
                        if strip is not None:
                            sheet.offer(result.source, scored)
                except SourceError as error:
                    result.error = str(error)
                    code = ExitCode.BAD_INPUT
                    say(result.error)
                write(row_text(form, result, None))
    if strip is not None and sheet.tiles:
        write_bytes(strip, encode(sheet.picture(), strip))
    if as_json:
        facts = [result.facts() for result in results]
        print_json({"model": named_facts(model), "inputs": facts})
    elif not quiet:
        rows_are_on_stdout = form is not Format.TABLE and output is None
        _print(model, results, Console(stderr=rows_are_on_stdout, highlight=False))
    if code is ExitCode.OK and not any(result.n_scored for result in results):
        n_frames = sum(len(result.frames) for result in results)
        stop(
            f"None of {n_frames} frames could be scored, because none shows a usable face: "
            "--format csv gives the reasons.",
            ExitCode.NO_FRAMES,
        )
    raise typer.Exit(code)


def _format(form: Format | None, output: Path | None, *, as_json: bool) -> Format:
    """Return the output format; refuse to mix rows and JSON on standard output."""
    if output is None:
        if as_json and form not in (None, Format.TABLE):
            stop(
                "Rows and the JSON summary cannot both go to standard output: write the rows to a "
                "file with --output.",
                ExitCode.USAGE,
            )
        return form or Format.TABLE
    if form is Format.TABLE:
        stop("A table cannot be written to a file: choose --format csv or jsonl.", ExitCode.USAGE)
    form = form or _BY_SUFFIX.get(output.suffix.lower())
    if form is None:
        stop(
            f"The format of {output} is unknown: use .csv or .jsonl, or give --format.",
            ExitCode.USAGE,
        )
    return form


@dataclass
class InputResult:
    """The result for an input; ``error`` says why it could not be read to its end."""

    source: str
    threshold: float
    frames: list[ScoredFrame] = field(default_factory=list)
    is_simulated: bool = False
    error: str = ""

    @property
    def n_scored(self) -> int:
        return sum(frame.score is not None for frame in self.frames)

    @property
    def n_accepted(self) -> int:
        return sum(frame.verdict.accepts for frame in self.frames)

    @property
    def decision(self) -> Decision | None:
        """The verdict on all frames together; None if no frame could be read."""
        if not self.frames:
            return None
        return decide(self.frames, self.threshold, enough=min(ENOUGH_FRAMES, len(self.frames)))

    def facts(self) -> dict[str, Any]:
        decision = self.decision
        return {
            "source": self.source,
            "verdict": decision and decision.verdict.value,
            "reason": decision and decision.reason,
            "mean_score": decision and decision.score,
            "mean_liveness": decision and decision.liveness,
            "threshold": self.threshold,
            "n_frames": len(self.frames),
            "n_scored": self.n_scored,
            "n_accepted": self.n_accepted,
            "is_simulated": self.is_simulated,
            "error": self.error or None,
        }


def score_input(
    pipeline: Pipeline,
    model: PadModel,
    selection: Selection,
    result: InputResult,
    settings: Settings,
    progress: ProgressCallback,
) -> Iterator[ScoredFrame]:
    """Score the frames of the result's source; each is added to the result, then yielded."""
    text = result.source
    with opened(text, settings) as reading:
        result.source = reading.name
        total = -(-(reading.info.n_frames or 0) // selection.every) or None
        if selection.most is not None:
            total = min(total or selection.most, selection.most)
        last: Frame | None = None
        for frame in selection.of(text, reading, reading.frames(pipeline)):
            if last is not None and np.array_equal(last.image, frame.image):
                repeated = FrameResult(frame, Status.BAD_FRAME, REPEATED)
                scored = ScoredFrame(
                    Verdict.BAD_FRAME, REPEATED, threshold=model.threshold, result=repeated
                )
            else:
                scored = score_frame(pipeline, model, frame)
                last = frame if scored.score is not None else last
            result.frames.append(kept_numbers(scored))
            result.is_simulated |= bool(frame.caption)
            progress(len(result.frames), total, result.source)
            yield scored


COLUMNS = ("source", "frame", "time", "status", "reason", "score", "verdict", "threshold",
           "liveness")  # fmt: skip
"""Columns of a frame's row, in CSV and in JSON lines."""


def row_text(form: Format, result: InputResult, scored: ScoredFrame | None) -> str:
    """Return the line of a frame or, with None after the last frame, that of the input."""
    if scored is None:
        if form is not Format.JSONL:
            return ""
        return json.dumps({"kind": "input", **result.facts()}, allow_nan=False) + "\n"
    # The csv module does not quote a carriage return if lines end in "\n".
    source = spreadsheet_cell(result.source.replace("\r", " "))
    values = (
        source if form is Format.CSV else result.source,
        scored.frame.number,
        round(scored.frame.time, 6),
        "scored" if scored.score is not None else scored.verdict.value,
        scored.reason,
        scored.score,
        scored.verdict.value,
        scored.threshold,
        scored.liveness,
    )
    if form is Format.CSV:
        return _csv_line(values)
    if form is Format.JSONL:
        row = {"kind": "frame", **dict(zip(COLUMNS, values, strict=True))}
        return json.dumps(row, allow_nan=False) + "\n"
    return ""


def _csv_line(values: Iterable[Any]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(values)
    return stream.getvalue()


def _print(model: PadModel, results: list[InputResult], console: Console) -> None:
    numbers = ["mean score", "frames scored", "accepted"]
    if any(result.facts()["mean_liveness"] is not None for result in results):
        numbers.append("looks live")
    rows = []
    for result in results:
        facts = result.facts()
        score, liveness = facts["mean_score"], facts["mean_liveness"]
        verdict = facts["verdict"] or "unreadable"
        cells = (
            result.source,
            f"{verdict} (simulated)" if result.is_simulated else verdict,
            "-" if score is None else f"{score:.4f}",
            f"{result.n_scored} of {len(result.frames)}",
            result.n_accepted,
            "-" if liveness is None else f"{100 * liveness:.0f} %",
        )
        rows.append(cells[: 2 + len(numbers)])
    console.print(text_table("Scores", ["input", "verdict"], numbers, rows))
    if len(results) == 1 and (decision := results[0].decision):
        console.print(Text(decision.reason))
    console.print(
        f"Threshold {model.threshold:.4f}: an input is genuine when its mean score reaches it."
    )
