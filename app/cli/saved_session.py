"""Saved test sessions: a file of their own, or within the JSON of a report."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from app.models.summary import ModelSummary
from app.reports.json_files import GUIDED_TEST_FORMAT as REPORT_FORMAT
from app.session.guided_test.guided_test import GuidedTest
from app.session.guided_test.presentation import GuidedTestError
from app.storage import read_text
from lmkl_core.calibration.threshold import Calibration

MAX_BYTES = 1 << 28
MOST_VALUES, MOST_CONTAINERS = 1 << 23, 1 << 20
"""Numbers and texts, lists and objects: as JSON a few bytes each, in memory up to a hundred."""


@dataclass(frozen=True)
class SavedSession:
    """A session, its source and its model; only a report's JSON knows these two."""

    guided_test: GuidedTest
    source: str = ""
    model: ModelSummary | None = None


class _Threshold(msgspec.Struct):
    """As a report's JSON has it; numbers that were not known are null."""

    value: float | None
    target_bpcer: float | None
    bpcer: float | None
    bpcer_interval: tuple[float | None, float | None]
    n_scores: int
    n_effective: float | None
    promised: bool | None
    origin: str
    statement: str

    def calibration(self) -> Calibration:
        """Return what the report says; a report has no scores and no stress test."""
        low, high = self.bpcer_interval
        return Calibration(
            _real(self.value),
            self.target_bpcer,
            _real(self.bpcer),
            (_real(low), _real(high)),
            confidence=math.nan,
            n_scores=self.n_scores,
            n_effective=_real(self.n_effective),
            n_blocks=0,
            n_takes=0,
            block_length=0,
            promised=None if self.target_bpcer is None else self.promised,
            stress_bpcer=math.nan,
            stress_interval=(0.0, 1.0),
            scores=np.empty(0),
            stress_scores=np.empty(0),
            origin=self.origin,
            statement=self.statement,
        )


class _Model(msgspec.Struct):
    threshold: _Threshold
    parameters: dict[str, str]
    takes: tuple[str, ...]
    n_samples: int
    preset: str
    digest: str
    path: str = msgspec.field(name="file")


def read_session(path: Path) -> SavedSession:
    """Read a session from its own JSON or from that of a report; nothing in it is trusted.

    Raises `GuidedTestError`, in one sentence, when it cannot be used.
    """
    try:
        text = read_text(path, MAX_BYTES)
        if text.count(",") > MOST_VALUES or text.count("[") + text.count("{") > MOST_CONTAINERS:
            raise ValueError("holds more than any test session")
        value = json.loads(text)
    except OSError as error:
        raise GuidedTestError(
            f"The session {path} cannot be read ({error.strerror or error}): check the path."
        ) from error
    except (ValueError, RecursionError) as error:
        is_no_json = isinstance(error, json.JSONDecodeError | RecursionError)
        why = "is not JSON" if is_no_json else str(error)[:80]
        raise GuidedTestError(f"The session {path} {why}: choose another file.") from error
    if not isinstance(value, dict) or value.get("format") != REPORT_FORMAT:
        return SavedSession(GuidedTest.from_dict(value))
    source = value.get("source")
    return SavedSession(
        GuidedTest.from_dict(value.get("session")),
        source if isinstance(source, str) else "",
        _model(value.get("model")),
    )


def session_text(guided_test: GuidedTest) -> str:
    """Return a session as the text of a file that `read_session` reads."""
    return json.dumps(guided_test.as_dict(), indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _model(stored: Any) -> ModelSummary | None:
    """Return what a report says of its model; None if any part of it is malformed."""
    try:
        model = msgspec.convert(stored, _Model)
    except (msgspec.ValidationError, OverflowError, UnicodeEncodeError):  # a lone surrogate
        return None
    if model.threshold.target_bpcer is not None and model.threshold.promised is None:
        return None
    said = msgspec.structs.asdict(model)
    del said["threshold"]
    said["parameters"] = tuple(model.parameters.items())
    return ModelSummary(**said, calibration=model.threshold.calibration())


def _real(value: float | None) -> float:
    return math.nan if value is None else value
