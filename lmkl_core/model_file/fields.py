"""Reading one object of the manifest, key by key, with type and range."""

import math
from typing import Any

from lmkl_core.model_file.refusal import Refused, shown

LARGEST_INTEGER = 2**53
"""Counts beyond this are no counts."""

LARGEST_NUMBER = 1e100
"""Numbers beyond this come from no fit, and their squares would still be finite."""

LONGEST_TEXT = 1000
"""Characters of a name or of a sentence."""

SHARES = (math.ulp(0.0), math.nextafter(1.0, 0.0))
"""The smallest and the largest number strictly between 0 and 1."""


class Fields:
    """The keys of one JSON object; every key must be asked for, and nothing may be left.

    Parameters
    ----------
    value : object
        Parsed JSON.
    where : str
        Names the object in sentences.
    """

    def __init__(self, value: object, where: str):
        if not isinstance(value, dict):
            raise Refused(f"its {where} is {shown(value)} and not an object")
        self._rest: dict[str, Any] = dict(value)
        self._where = where

    def take(self, key: str) -> Any:
        """Any value."""
        if key not in self._rest:
            raise Refused(f"its {self._where} lacks {key!r}")
        return self._rest.pop(key)

    def text(self, key: str, choices: tuple[str, ...] | None = None) -> str:
        """A string, of bounded length or one of some choices."""
        value = self.take(key)
        if not isinstance(value, str) or len(value) > LONGEST_TEXT:
            raise self._bad(key, value, f"text of at most {LONGEST_TEXT} characters")
        if choices is not None and value not in choices:
            raise self._bad(key, value, f"one of {', '.join(choices)}")
        return value

    def sentence(self, key: str) -> str:
        """A string that is shown to people: one line, no marks that nobody can see."""
        value = self.text(key)
        if not value.isprintable():
            raise self._bad(key, value, "text without control characters")
        return value

    def boolean(self, key: str) -> bool:
        """``true`` or ``false``."""
        value = self.take(key)
        if not isinstance(value, bool):
            raise self._bad(key, value, "true or false")
        return value

    def integer(self, key: str, low: int, high: int = LARGEST_INTEGER) -> int:
        """A whole number in a range, ends included."""
        value = self.take(key)
        if type(value) is not int or not low <= value <= high:
            raise self._bad(key, value, f"a whole number from {low} to {high}")
        return value

    def real(self, key: str, low: float = -LARGEST_NUMBER, high: float = LARGEST_NUMBER) -> float:
        """A number in a range, ends included."""
        return self._real(key, self.take(key), low, high)

    def positive(self, key: str, high: float = LARGEST_NUMBER) -> float:
        """A number greater than 0, and not so small that its inverse overflows."""
        return self.real(key, 1 / LARGEST_NUMBER, high)

    def share(self, key: str) -> float:
        """A number strictly between 0 and 1."""
        return self.real(key, *SHARES)

    def interval(self, key: str) -> tuple[float, float]:
        """Two shares, the smaller first."""
        value = self.take(key)
        if not isinstance(value, list) or len(value) != 2:
            raise self._bad(key, value, "a pair of numbers")
        low, high = (self._real(key, part, 0.0, 1.0) for part in value)
        if low > high:
            raise self._bad(key, value, "an interval")
        return low, high

    def optional_real(self, key: str, low: float, high: float) -> float | None:
        """A number in a range, or null."""
        value = self.take(key)
        return None if value is None else self._real(key, value, low, high)

    def optional_share(self, key: str) -> float | None:
        """A number strictly between 0 and 1, or null."""
        return self.optional_real(key, *SHARES)

    def optional_boolean(self, key: str) -> bool | None:
        """``true``, ``false`` or null."""
        value = self.take(key)
        if value is not None and not isinstance(value, bool):
            raise self._bad(key, value, "true, false or null")
        return value

    def items(self, key: str, longest: int = LARGEST_INTEGER) -> list[Any]:
        """A list, of bounded length."""
        value = self.take(key)
        if not isinstance(value, list) or len(value) > longest:
            raise self._bad(key, value, f"a list of at most {longest} entries")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        values = self.items(key)
        for value in values:
            if not isinstance(value, str) or len(value) > LONGEST_TEXT:
                raise self._bad(key, value, f"text of at most {LONGEST_TEXT} characters")
        return tuple(values)

    def optional_texts(self, key: str) -> tuple[str, ...] | None:
        """A list of strings, or null."""
        if self._rest.get(key, "") is None:
            return self.take(key)
        return self.texts(key)

    def finish(self) -> None:
        """Refuse keys that nobody asked for."""
        if self._rest:
            raise Refused(f"its {self._where} has the unknown key {shown(min(self._rest))}")

    def _real(self, key: str, value: object, low: float, high: float) -> float:
        if type(value) not in (int, float) or not low <= value <= high:  # type: ignore[operator]
            raise self._bad(key, value, f"a number from {low:g} to {high:g}")
        return float(value)  # type: ignore[arg-type]

    def _bad(self, key: str, value: object, wanted: str) -> Refused:
        return Refused(f"{key!r} in its {self._where} is {shown(value)} and not {wanted}")
