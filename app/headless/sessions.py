"""Saved test sessions: bare, or within the JSON of a report; both are read alike."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.models.summary import ModelSummary, ThresholdSummary
from app.reports.writing import FORMAT as REPORT_FORMAT
from app.session.guided_test.trial import Trial, TrialError
from app.storage import read_text

MAX_BYTES = 1 << 28
MOST_VALUES, MOST_CONTAINERS = 1 << 23, 1 << 20
"""Numbers and texts, lists and objects: as JSON a few bytes each, in memory up to a hundred."""


@dataclass(frozen=True)
class SavedSession:
    """A session, and what its file says beside it.

    Attributes
    ----------
    trial : Trial
        The presentations.
    source : str
        Where they were presented; empty where the file does not say.
    model : ModelSummary or None
        What is known of the model; only a report's JSON says.
    """

    trial: Trial
    source: str = ""
    model: ModelSummary | None = None


def read_session(path: Path) -> SavedSession:
    """Read a session from its own JSON or from that of a report.

    Parameters
    ----------
    path : Path
        The file; nothing in it is trusted.

    Raises
    ------
    TrialError
        In one sentence, when it cannot be used.
    """
    try:
        text = read_text(path, MAX_BYTES)
        if text.count(",") > MOST_VALUES or text.count("[") + text.count("{") > MOST_CONTAINERS:
            raise ValueError("holds more than any test session")
        value = json.loads(text)
    except OSError as error:
        raise TrialError(
            f"The session {path} cannot be read ({error.strerror or error}): check the path."
        ) from error
    except RecursionError as error:
        raise TrialError(f"The session {path} is no JSON: choose another file.") from error
    except ValueError as error:
        is_json = not isinstance(error, json.JSONDecodeError)
        why = str(error)[:80] if is_json else "is no JSON"
        raise TrialError(f"The session {path} {why}: choose another file.") from error
    if not isinstance(value, dict) or value.get("format") != REPORT_FORMAT:
        return SavedSession(Trial.from_dict(value))
    source = value.get("source")
    return SavedSession(
        Trial.from_dict(value.get("session")),
        source if isinstance(source, str) else "",
        _model(value.get("model")),
    )


def session_text(trial: Trial) -> str:
    """Return a session as the text of a file that `read_session` reads."""
    return json.dumps(trial.as_dict(), indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _model(stored: Any) -> ModelSummary | None:
    """Return what a report says of its model; None where anything in it is not as it should be."""
    try:
        threshold = stored["threshold"]
        target = threshold["target_bpcer"]
        shown = ThresholdSummary(
            value=_real(threshold["value"]),
            target_bpcer=None if target is None else _real(target),
            bpcer=_real(threshold["bpcer"]),
            interval=(
                _real(threshold["bpcer_interval"][0]),
                _real(threshold["bpcer_interval"][1]),
            ),
            n_scores=_kind(threshold["n_scores"], int),
            n_effective=_real(threshold["n_effective"]),
            promised=None if target is None else _kind(threshold["promised"], bool),
            origin=_kind(threshold["origin"], str),
            statement=_kind(threshold["statement"], str),
        )
        return ModelSummary(
            view_names=(),
            weights=(),
            cluster_sizes=(),
            typical_faces=(),
            gap=float("nan"),
            is_certified=False,
            stop_reason="",
            n_solves=0,
            gap_history=(),
            objective_history=(),
            threshold=shown,
            bounds=(),
            parameters=tuple(
                (_kind(name, str), _kind(value, str))
                for name, value in stored["parameters"].items()
            ),
            takes=tuple(_kind(name, str) for name in stored["takes"]),
            n_samples=_kind(stored["n_samples"], int),
            preset=_kind(stored["preset"], str),
            path=_kind(stored["file"], str),
            digest=_kind(stored["digest"], str),
        )
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError):
        return None


def _real(value: Any) -> float:
    """Return a number; what was not known when it was written is NaN."""
    if value is None:
        return float("nan")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("this is no number")
    return float(value)


def _kind(value: Any, kind: type) -> Any:
    if type(value) is not kind:  # true is no number
        raise TypeError(f"this is no {kind.__name__}")
    return value
