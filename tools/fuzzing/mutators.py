"""Random mutations of bytes and of JSON."""

import copy
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

MAX_BYTES = 1 << 18
"""Size limit of a mutant; other tests check huge files, which are sparse."""

NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**64 - 1)
WORDS = (b"\0", b"\n", b'"', b"{", b"[", b"\\", b"..", b"/", b"nan", b"1e999", b"\xff\xfe", b"=")


def mutated_bytes(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """Return data after one to four changes at random places."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 4])):
        start, other = _place(changed, rng), rng.choice(others)
        span = slice(start, start + rng.choice([1, 2, 4, 8, 16, 64, 256, 4096]))
        match rng.randrange(8):
            case 0 if changed:
                changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
            case 1:
                size = rng.choice([1, 2, 4, 8])
                value = rng.choice(NUMBERS) % 256**size
                changed[start : start + size] = value.to_bytes(size, rng.choice(["little", "big"]))
            case 2:
                changed[start:start] = rng.choice([*WORDS, rng.randbytes(32)])
            case 3:
                changed[start:start] = bytes(changed[span]) * rng.choice([1, 1, 2, 20])
            case 4:
                del changed[start:]
            case 5:
                changed[start:] = other[_place(other, rng) :]
            case _:
                del changed[span]
    return bytes(changed[:MAX_BYTES])


def _place(data: Sequence[int], rng: random.Random) -> int:
    # Headers are at the beginning.
    return rng.randrange((min(len(data), 64) if rng.random() < 0.3 else len(data)) + 1)


VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, 2, -1, 7, 255, 2**31, 2**53 + 1, 2**63, 2**64, 10**19, 10**40, 0.0,
    -0.0, 0.5, 1.5, -1.5, 1e-5, 1e-310, 5e-324, 1e16, 1e99, 1e101, 1e308, -1e308,
    float("nan"), float("inf"), float("-inf"), "", " ", "x", "auto", "nan", "1", "true", "..", "/",
    "../../../etc/passwd", "/dev/zero", "C:\\x", "\\\\host\\share", "a\0b", "\n\x1b[31m", "\u202e",
    "\ud800", "\u0660", "<b>", "=1+1", "__class__", "x" * 5000, [], [[]], [None], [0, 1], [1, 0],
    ["x"] * 9, [0] * 3000, {}, {"": None}, {"x": {"x": {}}}, {"__proto__": 1},
)  # fmt: skip
"""Replacements for a value: every type, and the ends of every range."""

RAW = (
    "NaN", "-Infinity", "1e999", "-1e999", "9" * 30, "9" * 5000, "01", "+1", "1.", ".5", "0x10",
    "'x'", "undefined", "[" * 40 + "]" * 40, "[" * 3000, "[" * 3000 + "]" * 3000,
    '{"a":' * 200 + "1" + "}" * 200, '"\\ud800"', '"\\u0000"', '"\\x"', "\ufeff1", "//", "",
    '{"a":1,"a":2}', '"\udc80"',
)  # fmt: skip
"""Replacements in the text that no JSON writer would produce."""

_MARK = "@@raw@@"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to every place in a JSON value."""
    yield path
    if isinstance(value, dict):
        for key, part in value.items():
            yield from places(part, (*path, key))
    elif isinstance(value, list):
        # Long lists would dominate the choice.
        for key, part in list(enumerate(value))[:12]:
            yield from places(part, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """Return the value at a path."""
    for key in path:
        value = value[key]
    return value


def mutated_json(value: Any, rng: random.Random, keys: tuple[str, ...] = ()) -> Any:
    """Return a JSON value with one to three changes; ``keys`` are names with a meaning."""
    holder = [copy.deepcopy(value)]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        _change(holder, rng, keys)
    return holder[0]


def encoded_json(value: Any, rng: random.Random) -> bytes:
    """Encode a JSON value, sometimes as no writer would."""
    if rng.random() < 0.25:
        holder = [copy.deepcopy(value)]
        path = rng.choice(list(places(holder))[1:])
        at(holder, path[:-1])[path[-1]] = _MARK
        raw = rng.choice(RAW)
        text = json.dumps(holder[0]).replace(f'"{_MARK}"', raw, 1)
    else:
        indent, ascii_only = rng.choice([None, None, 1]), rng.random() < 0.5
        text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    if rng.random() < 0.05:
        text = rng.choice(["\ufeff" + text, text + text, text + "\0", " " * 100 + text])
    encoding = rng.choice(["utf-8"] * 30 + ["utf-16", "latin-1"])
    return text.encode(encoding, "surrogatepass" if encoding == "utf-8" else "replace")


def _change(holder: list[Any], rng: random.Random, keys: tuple[str, ...]) -> None:
    path = rng.choice(list(places(holder))[1:])
    parent, key = at(holder, path[:-1]), path[-1]
    old = parent[key]
    kind = rng.randrange(10)
    if kind < 5:
        parent[key] = copy.deepcopy(rng.choice(VALUES))
    elif kind < 7 and isinstance(old, (int, float)) and not isinstance(old, bool):
        parent[key] = rng.choice([-old, old + 1, old - 1, old * 2, old * 1e-200, str(old), [old]])
    elif kind == 7 and len(path) > 1:
        del parent[key]
    elif kind == 8:
        # A value from elsewhere has the right type more often than a random one.
        parent[key] = copy.deepcopy(at(holder, rng.choice(list(places(holder))[1:])))
    elif isinstance(old, dict):
        name = rng.choice([*old, *keys, "x", "", "__class__", "format"])
        old[name] = copy.deepcopy(rng.choice(VALUES))
    elif isinstance(old, list) and old:
        old.extend(copy.deepcopy(old[: rng.choice([1, 2, 50])]))
    elif isinstance(old, str):
        start = rng.randrange(len(old) + 1)
        parent[key] = old[:start] + rng.choice(["\0", "\n", "\u202e", "..", "é", ""]) + old[start:]
