"""What the person is told of takes that an earlier run has left."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app.names import cleaned_name
from app.session.recovery.finding import Found, Recovered

LONGEST_NAME = 60


def offer_of(found: Found, features: Mapping[str, Any], now: datetime | None = None) -> str:
    """Return what is there, since when, and why it cannot be brought back where it cannot.

    Parameters
    ----------
    found : Found
        What an earlier run has left.
    features : mapping
        Fingerprint of the views in use.
    now : datetime, optional
        In the place of the clock.
    """
    if found.index is None:
        return (
            "Takes of an earlier run were not saved, and cannot be brought back because "
            f"{found.problem}."
        )
    text = (
        f"The program ended unexpectedly on {_moment(found.index.written, now)} with "
        f"{_count(found.n_takes, 'take')} ({_count(found.n_frames, 'frame')}) not saved."
    )
    return (
        text if fits(found, features) else f"{text} {_other_views(found.index.features, features)}"
    )


def fits(found: Found, features: Mapping[str, Any]) -> bool:
    """Whether takes can be brought back: they are readable, and of the views in use."""
    return found.index is not None and found.index.features == features


def outcome_of(recovered: Recovered) -> str:
    """Return what was brought back, and what could not be."""
    n_takes = len({sample.take for sample in recovered.samples})
    n_frames = len(recovered.samples)
    verb = "is" if n_takes == 1 else "are"
    text = (
        f"{_count(n_takes, 'take')} ({_count(n_frames, 'frame')}) {verb} back, without pictures, "
        "which are never stored."
    )
    if recovered.n_damaged:
        were = "was" if recovered.n_damaged == 1 else "were"
        text += f" {_count(recovered.n_damaged, 'frame')} {were} damaged and left out."
    return text


def _other_views(features: Mapping[str, Any], running: Mapping[str, Any]) -> str:
    name = _preset_name(features)
    if name and name == _preset_name(running):
        return f"The views {name!r} have changed since: record them again."
    named = f"the views {name!r}" if name else "other views"
    return f"They are of {named}, not of those in use: choose the former in the settings."


def _preset_name(features: Mapping[str, Any]) -> str:
    preset = features.get("preset")
    return cleaned_name(str(preset.get("name")), LONGEST_NAME) if isinstance(preset, dict) else ""


def _moment(when: datetime, now: datetime | None) -> str:
    local, now = when.astimezone(), (now or datetime.now()).astimezone()
    day = f"{local.day} {local:%B}" if local.year == now.year else f"{local.day} {local:%B %Y}"
    return f"{day} at {local:%H:%M}"


def _count(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"
