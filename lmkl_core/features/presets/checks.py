"""Checks of single values: each returns the value or says what was found and what is allowed."""

import difflib
import math
from collections.abc import Iterable, Mapping
from typing import Any

from lmkl_core.features.presets.errors import KeyPath, PresetError

_KINDS = {
    bool: "true or false",
    str: "a text",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


def table(value: Any, path: KeyPath) -> Mapping[str, Any]:
    """Return a table."""
    if not isinstance(value, Mapping):
        raise PresetError(f"{_name(path)} must be a table, not {kind(value)}", path)
    return value


def only_keys(value: Mapping[str, Any], allowed: Iterable[str], path: KeyPath, what: str) -> None:
    """Refuse keys that are not known, so that a slip of the pen does not pass unseen."""
    allowed = tuple(allowed)
    for key in value:
        if key not in allowed:
            raise PresetError(
                f"{what} has no key {short(key)}{suggestion(key, allowed)}; "
                f"the keys are {', '.join(allowed)}",
                (*path, key),
            )


def required(value: Mapping[str, Any], key: str, path: KeyPath, what: str) -> Any:
    """Return what a key holds that must be there."""
    if key not in value:
        raise PresetError(f"{what} needs the key {key!r}", path)
    return value[key]


def text(value: Any, path: KeyPath, *, longest: int) -> str:
    """Return a text of bounded length."""
    if not isinstance(value, str):
        raise PresetError(f"{_name(path)} must be a text in quotes, not {kind(value)}", path)
    if len(value) > longest:
        raise PresetError(f"{_name(path)} is longer than {longest} characters", path)
    return value


def choice(value: Any, allowed: Iterable[str], path: KeyPath, what: str) -> str:
    """Return one of the allowed words."""
    allowed = tuple(allowed)
    word = text(value, path, longest=1000)
    if word not in allowed:
        raise PresetError(
            f"{what} {short(word)} is not known{suggestion(word, allowed)}; "
            f"there are {', '.join(allowed)}",
            path,
        )
    return word


def choices(value: Any, allowed: Iterable[str], path: KeyPath, what: str) -> tuple[str, ...]:
    """Return a list of allowed words, none twice."""
    allowed = tuple(allowed)
    items = sequence(value, path)
    if not items:
        raise PresetError(f"{_name(path)} is empty; it needs one of {', '.join(allowed)}", path)
    words: list[str] = []
    for position, item in enumerate(items):
        word = choice(item, allowed, (*path, position), what)
        if word in words:
            raise PresetError(f"{what} {word!r} is named twice", (*path, position))
        words.append(word)
    return tuple(words)


def sequence(value: Any, path: KeyPath) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list | tuple):
        raise PresetError(f"{_name(path)} must be a list in brackets, not {kind(value)}", path)
    return list(value)


def number(value: Any, path: KeyPath, *, low: float, high: float) -> float:
    """Return a finite number within limits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PresetError(f"{_name(path)} must be a number, not {kind(value)}", path)
    if not low <= value <= high or not math.isfinite(value):
        raise PresetError(
            f"{_name(path)} is {short(value)}; it must lie between {low:g} and {high:g}", path
        )
    return float(value)


def whole(value: Any, path: KeyPath) -> int:
    """Return a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise PresetError(f"{_name(path)} must be a whole number, not {kind(value)}", path)
    return value


def switch(value: Any, path: KeyPath) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise PresetError(f"{_name(path)} must be true or false, not {kind(value)}", path)
    return value


def suggestion(word: str, allowed: Iterable[str]) -> str:
    """Return ``, did you mean 'x'?`` where something near is allowed, else nothing."""
    near = difflib.get_close_matches(word.lower(), tuple(allowed), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def kind(value: Any) -> str:
    """Say what a value is, for people."""
    words = _KINDS.get(type(value), "a date or time")
    return f"{words} ({short(value)})" if isinstance(value, str | int | float) else words


def short(value: Any) -> str:
    """Show a value in few characters."""
    if isinstance(value, int) and abs(value) >= 10**12:
        return "a huge number"
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:36] + "...'"


def _name(path: KeyPath) -> str:
    names = [step for step in path if isinstance(step, str)]
    return str(names[-1]) if names else "the preset"
