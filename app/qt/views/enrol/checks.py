"""The checks of the quality gate in words: their names, values and limits."""

import math

from app.types import Check

NAMES = {
    "size": "Size of the face",
    "visible": "Face in the picture",
    "brightness": "Brightness",
    "contrast": "Contrast",
    "sharpness": "Sharpness",
    "turn": "Turn to the side",
    "nod": "Up or down",
    "tilt": "Tilt",
    "motion": "Movement",
}
"""In the order of their rows; a check that is not among them comes after these."""

_MOST_DECIMALS = 3
_SHARES = ("visible",)
"""Checks whose values are shares, shown in per cent."""


def name_in_words(name: str) -> str:
    """Return what a check looks at; an unknown one keeps its name."""
    return NAMES.get(name) or name[:1].upper() + name[1:]


def value_in_words(check: Check) -> str:
    """Return the value with its unit, with as many digits as its verdict needs.

    A value that fails is never rounded onto its limit, where it would seem to pass.
    """
    value = abs(check.value) if _is_either_way(check) else check.value
    if not math.isfinite(value):
        return "not measurable"
    for decimals in range(_decimals(check), _MOST_DECIMALS):
        seems = check.low <= _rounded(value, check, decimals) <= check.high
        if seems == check.passed:
            return _with_unit(value, check, decimals)
    return _with_unit(value, check, _MOST_DECIMALS)


def limits_in_words(check: Check) -> str:
    """Return between what the value must lie."""
    has_low, has_high = math.isfinite(check.low), math.isfinite(check.high)
    if _is_either_way(check) or (has_high and check.low == 0.0):
        return f"at most {_limit(check, check.high)}"
    if has_low and has_high:
        low = _number(check.low, check, _decimals(check))
        return f"{low} to {_limit(check, check.high)}"
    if has_low:
        return f"at least {_limit(check, check.low)}"
    if has_high:
        return f"at most {_limit(check, check.high)}"
    return "any"


def _is_either_way(check: Check) -> bool:
    return check.low < 0.0 and check.low == -check.high and math.isfinite(check.high)


def _decimals(check: Check) -> int:
    if check.name in _SHARES:
        return 0
    limits = [abs(limit) for limit in (check.low, check.high) if math.isfinite(limit)]
    return 0 if max(limits, default=0.0) >= 10.0 else 1


def _rounded(value: float, check: Check, decimals: int) -> float:
    return round(value, decimals + 2 if check.name in _SHARES else decimals)


def _number(value: float, check: Check, decimals: int) -> str:
    if check.name in _SHARES:
        value *= 100.0
    # Adding zero turns a negative zero into a plain one.
    return f"{round(value, decimals) + 0.0:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def _limit(check: Check, limit: float) -> str:
    return _with_unit(limit, check, _decimals(check))


def _with_unit(value: float, check: Check, decimals: int) -> str:
    number = _number(value, check, decimals)
    if check.name in _SHARES:
        return f"{number} %"
    if check.unit == "°" or not check.unit:
        return number + check.unit
    return f"{number} {check.unit}"
