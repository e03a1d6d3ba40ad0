"""Mutations that know nothing of a format."""

import random
from collections.abc import Callable, Sequence

LARGEST = 1 << 18
"""Bytes of a mutant: sizes are bounded by other tests, with files that are mostly holes."""

NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**64 - 1)
WORDS = (b"\0", b"\n", b'"', b"{", b"[", b"\\", b"..", b"/", b"nan", b"1e999", b"\xff\xfe", b"=")


def mutated_bytes(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """Return data after one to four changes at random places."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 4])):
        rng.choice(_CHANGES)(changed, others, rng)
    return bytes(changed[:LARGEST])


def _place(data: bytearray, rng: random.Random) -> int:
    # The beginning is where headers are.
    end = min(len(data), 64) if rng.random() < 0.3 else len(data)
    return rng.randrange(end + 1)


def _span(data: bytearray, rng: random.Random) -> slice:
    start = _place(data, rng)
    return slice(start, start + rng.choice([1, 2, 4, 8, 16, 64, 256, 4096]))


def _flip(data: bytearray, others: Sequence[bytes], rng: random.Random) -> None:
    for _ in range(rng.choice([1, 1, 2, 8])):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _overwrite(data: bytearray, others: Sequence[bytes], rng: random.Random) -> None:
    if data:
        data[min(_place(data, rng), len(data) - 1)] = rng.randrange(256)


def _number(data: bytearray, others: Sequence[bytes], rng: random.Random) -> None:
    size, start = rng.choice([1, 2, 4, 8]), _place(data, rng)
    value = rng.choice(NUMBERS) % 256**size
    data[start : start + size] = value.to_bytes(size, rng.choice(["little", "big"]))


def _insert(data: bytearray, others: Sequence[bytes], rng: random.Random) -> None:
    start = _place(data, rng)
    noise = rng.choice([rng.choice(WORDS), rng.randbytes(rng.choice([1, 4, 32, 500]))])
    data[start:start] = noise


def _delete(data: bytearray, others: Sequence[bytes], rng: random.Random) -> None:
    del data[_span(data, rng)]


def _duplicate(data: bytearray, others: Sequence[bytes], rng: random.Random) -> None:
    part = bytes(data[_span(data, rng)])
    start = _place(data, rng)
    data[start:start] = part * rng.choice([1, 1, 2, 20])


def _truncate(data: bytearray, others: Sequence[bytes], rng: random.Random) -> None:
    del data[_place(data, rng) :]


def _splice(data: bytearray, others: Sequence[bytes], rng: random.Random) -> None:
    other = bytearray(rng.choice(others))
    data[_place(data, rng) :] = other[_place(other, rng) :]


def _swap(data: bytearray, others: Sequence[bytes], rng: random.Random) -> None:
    one, two = _span(data, rng), _span(data, rng)
    data[one], data[two] = bytes(data[two]), bytes(data[one])


_CHANGES: tuple[Callable[[bytearray, Sequence[bytes], random.Random], None], ...] = (
    _flip,
    _overwrite,
    _number,
    _insert,
    _delete,
    _duplicate,
    _truncate,
    _splice,
    _swap,
)
