"""Rows of scores as CSV and as JSON lines, written while they come."""

import csv
import json
from collections.abc import Callable
from typing import TextIO

from app.headless.scoring import COLUMNS, FrameRow, InputResult

Write = Callable[[FrameRow | InputResult], None]


def csv_writer(stream: TextIO, *, flush: bool = False) -> Write:
    """Return what writes a line for every frame, after one with the names of the columns.

    Parameters
    ----------
    stream : TextIO
        Where to.
    flush : bool
        Whether every line is passed on at once, for those who read along.
    """
    writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()

    def write(row: FrameRow | InputResult) -> None:
        if isinstance(row, FrameRow):
            facts = row.facts()
            writer.writerow({**facts, "source": _plain(facts["source"])})
            if flush:
                stream.flush()

    return write


def jsonl_writer(stream: TextIO, *, flush: bool = False) -> Write:
    """Return what writes an object for every frame, and one for every input after its frames.

    ``kind`` tells them apart: ``frame`` or ``input``.
    """

    def write(row: FrameRow | InputResult) -> None:
        kind = "frame" if isinstance(row, FrameRow) else "input"
        stream.write(json.dumps({"kind": kind, **row.facts()}, allow_nan=False) + "\n")
        if flush:
            stream.flush()

    return write


def _plain(text: str) -> str:
    """Return text that a spreadsheet does not take for a formula, nor for the end of a line."""
    text = text.replace("\r", " ")  # which the csv module only quotes where lines end with it
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
