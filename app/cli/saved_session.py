"""Saved test sessions: a separate file, or part of a report's JSON."""

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
"""Limits, because a value takes a few bytes as JSON, but up to a hundred in memory."""


@dataclass(frozen=True)
class SavedSession:
    """A session, with its source and model if it comes from a report."""

    guided_test: GuidedTest
    source: str = ""
    model: ModelSummary | None = None


class _Threshold(msgspec.Struct):
    """The threshold in a report's JSON; unknown numbers are null."""

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
        """Return the calibration; a report has neither its scores nor its stress test."""
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
    """Read a session from its own file or from a report's JSON, without trusting its contents.

    Raises `GuidedTestError` if it cannot be used.
    """
    try:
        text = read_text(path, MAX_BYTES)
        if text.count(",") > MOST_VALUES or text.count("[") + text.count("{") > MOST_CONTAINERS:
            raise ValueError("is too large for a test session")
        value = json.loads(text)
    except OSError as error:
        raise GuidedTestError(
            f"The session {path} cannot be read ({error.strerror or error}): check the path."
        ) from error
    except (ValueError, RecursionError) as error:
        is_not_json = isinstance(error, json.JSONDecodeError | RecursionError)
        why = "is not JSON" if is_not_json else str(error)[:80]
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
    """Return the text of a file that `read_session` can read."""
    return json.dumps(guided_test.as_dict(), indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _model(stored: Any) -> ModelSummary | None:
    """Return a report's description of its model; None if any part of it is malformed."""
    try:
        model = msgspec.convert(stored, _Model)
    except (msgspec.ValidationError, OverflowError, UnicodeEncodeError):  # a lone surrogate
        return None
    if model.threshold.target_bpcer is not None and model.threshold.promised is None:
        return None
    facts = msgspec.structs.asdict(model)
    del facts["threshold"]
    facts["parameters"] = tuple(model.parameters.items())
    return ModelSummary(**facts, calibration=model.threshold.calibration())


def _real(value: float | None) -> float:
    return math.nan if value is None else value
