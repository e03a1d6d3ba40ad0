"""The faults of cameras, by the words of their rows in docs/faults.md."""

import pytest


def _row(what: str) -> pytest.MarkDecorator:
    return pytest.mark.fault("Camera", what, keeps="models")


UNPLUGGED = _row("unplugged, and plugged in again")
BLOCKED = _row("a driver that does not return from opening, reading or closing")
FROZEN = _row("frozen: the same frame again and again")
BLACK = _row("black frames")
CHANGING = _row("frames of changing size, channels or depth")
HALF_DECODED = _row("half-decoded frames")
SLOW = _row("one frame a second")
QUICK = _row("240 frames a second")
ENDLESS = _row("a video file without an end, or one that lies about its length")
TRUNCATED = _row("a truncated video file")
CORRUPT = _row("a corrupt video file")
STALLING = _row("a network camera that stalls")
DROPPING = _row("a network camera that drops the connection")
GARBAGE = _row("a network camera that sends garbage")
SILENT = _row("a network camera that never answers")
HUGE = _row("a network camera that answers with something huge")
ELSEWHERE = _row("a network camera that sends us elsewhere")
