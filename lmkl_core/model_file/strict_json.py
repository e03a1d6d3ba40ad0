"""JSON as the manifest needs it: one meaning only, bounded, and the same bytes every time."""

import json
import math
from collections import Counter
from typing import Any, NoReturn

from lmkl_core.model_file.refusal import Refused, shown

DEEPEST = 32
"""Lists and objects inside each other."""

LONGEST_INTEGER = 20
"""Characters of a whole number: all of 64 bits."""


def canonical(value: object) -> str:
    """One spelling for one value: sorted keys, no spaces, no NaN, ASCII only."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=True
    )


def parse(text: str | bytes, what: str) -> Any:
    """Read JSON without repeated keys, NaN, infinity, oversized numbers or deep nesting.

    ``what`` names the text in sentences.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_integer,
        )
    except ValueError as error:
        raise Refused(f"{what} is not well-formed ({error})") from None
    except RecursionError:
        raise Refused(f"{what} is nested too deeply") from None
    _check_nesting_and_text(value, what)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        repeated = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {shown(repeated)} repeats")
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"it contains {name}")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {shown(text)} is out of range")
    return value


def _integer(text: str) -> int:
    if len(text) > LONGEST_INTEGER:
        raise ValueError(f"the number {shown(text)} is out of range")
    return int(text)


def _check_nesting_and_text(value: Any, what: str) -> None:
    level: list[Any] = [value]
    for _ in range(DEEPEST + 1):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.keys())
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
            elif isinstance(item, str) and not _is_unicode(item):
                raise Refused(f"{what} contains text that is no Unicode")
        if not below:
            return
        level = below
    raise Refused(f"{what} is nested too deeply")


def _is_unicode(text: str) -> bool:
    """Whether there are no lone surrogates, which could not be printed."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
