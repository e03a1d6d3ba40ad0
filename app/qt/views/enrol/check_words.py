"""The checks of the quality gate in words: their names, values and limits."""

import math

from PySide6.QtCore import QCoreApplication

from app.types import Check

_MOST_DECIMALS = 3
_SHARES = ("visible",)
"""Checks whose values are shares, shown in per cent."""


def name_in_words(name: str) -> str:
    """Return what a check looks at; an unknown one keeps its name."""
    known = {
        "size": _tr("Size of the face"),
        "visible": _tr("Face in the picture"),
        "brightness": _tr("Brightness"),
        "contrast": _tr("Contrast"),
        "sharpness": _tr("Sharpness"),
        "turn": _tr("Turn to the side"),
        "nod": _tr("Up or down"),
        "tilt": _tr("Tilt"),
        "motion": _tr("Movement"),
    }
    return known.get(name) or name[:1].upper() + name[1:]


def value_in_words(check: Check) -> str:
    """Return the value with its unit, with as many digits as its verdict needs.

    A value that fails is never rounded onto its limit, where it would seem to pass.
    """
    value = abs(check.value) if _is_either_way(check) else check.value
    if not math.isfinite(value):
        return _tr("not measurable")
    for decimals in range(_decimals(check), _MOST_DECIMALS):
        seems = check.low <= _rounded(value, check, decimals) <= check.high
        if seems == check.passed:
            return _with_unit(value, check, decimals)
    return _with_unit(value, check, _MOST_DECIMALS)


def limits_in_words(check: Check) -> str:
    """Return between what the value must lie."""
    has_low, has_high = math.isfinite(check.low), math.isfinite(check.high)
    if _is_either_way(check) or (has_high and check.low == 0.0):
        return _tr("at most {high}").format(high=_limit(check, check.high))
    if has_low and has_high:
        low = _number(check.low, check, _decimals(check))
        return _tr("{low} to {high}").format(low=low, high=_limit(check, check.high))
    if has_low:
        return _tr("at least {low}").format(low=_limit(check, check.low))
    if has_high:
        return _tr("at most {high}").format(high=_limit(check, check.high))
    return _tr("any")


def _tr(text: str) -> str:
    return QCoreApplication.translate("QualityChecks", text)


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
        return _tr("{number} %").format(number=number)
    if check.unit == "°" or not check.unit:
        return number + check.unit
    return f"{number} {check.unit}"
