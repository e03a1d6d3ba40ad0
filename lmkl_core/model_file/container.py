"""The container: safetensors with a JSON manifest in the header, sealed by a digest.

The header is checked completely, also against the size of the file, before anything of the claimed
size is allocated.
"""

import contextlib
import hashlib
import json
import math
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np
from safetensors.numpy import save

from lmkl_core.errors import ModelFileError, shortened

MANIFEST_KEY = "lmkl"
"""Key of the manifest in the safetensors metadata."""

DIGEST = "digest"
"""Key of the digest in the manifest."""

LARGEST_HEADER = 4 << 20
MAX_DEPTH = 32
"""Maximum nesting of lists and objects, far below the limit of Python's JSON writer."""

DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "I64": np.dtype("<i8"),
}
"""Allowed dtypes of tensors, by their safetensors names."""

EXPORT_AGAIN = "restore a copy or export the model again"
ANOTHER_FILE = "choose a file that this program exported"

_PREFIX = 8
_LONGEST_REASON = 240  # characters, so that a file cannot fill the screen

T = TypeVar("T")

Text = Annotated[str, msgspec.Meta(max_length=1000)]
"""A name or a sentence of bounded length."""


class Refused(Exception):
    """A file is refused; `lmkl_core.model_file.files` raises it as an error of class ``kind``.

    In the message, ``reason`` follows "because"; ``way_out`` says what to do.
    """

    def __init__(
        self,
        reason: str,
        way_out: str = EXPORT_AGAIN,
        kind: type[ModelFileError] = ModelFileError,
    ):
        super().__init__(reason)
        self.reason, self.way_out, self.kind = shortened(reason, _LONGEST_REASON), way_out, kind


def quoted(value: object) -> str:
    """Return a value of the file, shortened for a message."""
    return shortened(repr(value), 60)


# --- JSON


def canonical(value: object) -> str:
    """Return the only accepted JSON of a value: sorted keys, no spaces, no NaN, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def parse(text: Any, what: str, encode: Callable[[object], Any]) -> dict[str, Any]:
    """Read a JSON object that ``encode`` would write the same way; ``what`` names it in messages.

    The digest covers the parsed value, so only one encoding of it is accepted: anything else, such
    as a repeated key, counts as damage.
    """
    try:
        value = msgspec.json.decode(text, type=dict[str, Any])
    except RecursionError:
        raise Refused(f"{what} is nested too deeply") from None
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise Refused(f"{what} is not well-formed ({error})") from None
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        children = [node.values() if isinstance(node, dict) else node for node in level]
        level = [part for parts in children for part in parts if isinstance(part, dict | list)]
    if level:
        raise Refused(f"{what} is nested too deeply")
    if encode(value) != text:
        raise Refused(f"{what} repeats a key or is not encoded as by this program")
    return value


def checked(value: object, schema: type[T], what: str) -> T:
    """Convert parsed JSON to a msgspec type and check every key and range."""
    try:
        return msgspec.convert(value, schema)
    except msgspec.ValidationError as error:
        raise Refused(f"{what} is not valid ({error})") from None


# --- safetensors

_Size = Annotated[int, msgspec.Meta(ge=0)]


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The header's entry of one tensor."""

    dtype: Literal["F64", "F32", "I64"]
    shape: Annotated[tuple[_Size, ...], msgspec.Meta(max_length=3)]
    data_offsets: tuple[_Size, _Size]

    def __post_init__(self) -> None:
        begin, end = self.data_offsets
        if end - begin != math.prod(self.shape) * DTYPES[self.dtype].itemsize:
            raise ValueError("the size of a tensor does not match its shape")
        if 0 in self.shape and len(self.shape) > 1:
            raise ValueError("a tensor has an impossible shape")


@dataclass(frozen=True)
class Header:
    """The checked header: the manifest as parsed JSON, and the tensors in file order."""

    document: dict[str, Any]
    places: dict[str, Place]


def seal(document: dict[str, Any], tensors: dict[str, np.ndarray]) -> bytes:
    """Return the file of a manifest and tensors, with the digest of both."""
    document = {key: value for key, value in document.items() if key != DIGEST}
    text = canonical({**document, DIGEST: digest(document, tensors)})
    return save(tensors, metadata={MANIFEST_KEY: text})


def digest(document: dict[str, Any], tensors: dict[str, np.ndarray]) -> str:
    """Return the SHA-256 of the manifest, without its digest, and of the tensors.

    It covers the names, dtypes and shapes of the tensors, too.
    """
    state = hashlib.sha256(canonical(document).encode("ascii"))
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name])
        state.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        state.update(array.reshape(-1).view(np.uint8).data)
    return state.hexdigest()


@contextlib.contextmanager
def opened(path: Path, max_bytes: int) -> Iterator[tuple[BufferedIOBase, int]]:
    """Open a regular file of at most ``max_bytes``; yield the stream and its size."""
    # Without O_NONBLOCK, opening a named pipe would wait for a writer.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if "\0" in str(path):
        raise Refused("its name contains a null character", "check the path")
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise Refused("it is not a regular file", ANOTHER_FILE)
        if status.st_size > max_bytes:
            raise Refused(
                f"its {status.st_size / 2**20:.1f} MiB exceed the limit of "
                f"{max_bytes / 2**20:.1f} MiB",
                "raise max_bytes if you trust it",
            )
        yield stream, status.st_size


def read_header(stream: BufferedIOBase, size: int) -> Header:
    """Read and check the header of a file of ``size`` bytes."""
    if size < _PREFIX:
        raise Refused("it is empty" if size == 0 else "it is too short for a model", ANOTHER_FILE)
    length = int.from_bytes(read_exactly(stream, _PREFIX), "little")
    if length > LARGEST_HEADER:
        raise Refused("it does not start like a safetensors file", ANOTHER_FILE)
    if length > size - _PREFIX:
        raise Refused("it ends within its header")
    raw = read_exactly(stream, length)
    header = parse(raw.rstrip(b" "), "its header", msgspec.json.encode)
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or not isinstance(metadata.get(MANIFEST_KEY), str):
        raise Refused("it has no manifest of this program", ANOTHER_FILE)
    if len(metadata) > 1:
        raise Refused("its header contains more than the manifest")
    places = _in_file_order(header, size - _PREFIX - length)
    document = parse(metadata[MANIFEST_KEY], "its manifest", canonical)
    return Header(document, places)


def _in_file_order(header: dict[str, Any], size: int) -> dict[str, Place]:
    """Return the tensors in file order; they must fill the file without gaps."""
    places = checked(header, dict[str, Place], "its header")
    ordered = sorted(places.items(), key=lambda item: (item[1].data_offsets, item[0]))
    position = 0
    for name, place in ordered:
        begin, end = place.data_offsets
        if begin != position:
            raise Refused(f"its tensor {quoted(name)} does not follow the previous one")
        position = end
    if position > size:
        raise Refused(f"it is truncated ({size} of {position} bytes of tensors)")
    if position < size:
        raise Refused(f"it has {size - position} bytes that belong to no tensor")
    return dict(ordered)


def read_tensors(stream: BufferedIOBase, header: Header) -> dict[str, np.ndarray]:
    """Read the tensors of a checked header and compare them with the digest."""
    tensors = {}
    for name, place in header.places.items():
        array = np.empty(place.shape, dtype=DTYPES[place.dtype])
        if stream.readinto(array.reshape(-1).view(np.uint8).data) < array.nbytes:
            raise Refused("it ends too early")
        tensors[name] = array
    document = dict(header.document)
    if document.pop(DIGEST, None) != digest(document, tensors):
        raise Refused("its contents do not match its digest, so it is damaged or was changed")
    return tensors


def read_exactly(stream: BufferedIOBase, count: int) -> bytes:
    """Read ``count`` bytes, or refuse the file."""
    data = stream.read(count)
    if len(data) < count:
        raise Refused("it ends too early")
    return data
