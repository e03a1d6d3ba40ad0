"""The bytes: safetensors with one JSON manifest in the header, sealed by a digest.

Layout: the header's length (8 bytes, little-endian), the header (JSON: name, dtype, shape and
place of every tensor, and the manifest as one string), then the tensors end to end. The header
is checked in full, against itself and against the size of the file, before anything of the size
that it claims is allocated.
"""

import hashlib
import math
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from safetensors.numpy import save

from lmkl_core.model_file.fields import Fields
from lmkl_core.model_file.refusal import ANOTHER_FILE, Refused, shown
from lmkl_core.model_file.strict_json import canonical, parse

MANIFEST_KEY = "lmkl"
"""Key of the manifest in the safetensors metadata."""

LARGEST_HEADER = 4 << 20
"""Bytes of header that are read."""

DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "I64": np.dtype("<i8"),
}
"""The dtypes that tensors may have, by their safetensors names."""

DIGEST = "digest"
"""Key of the digest in the manifest."""

_PREFIX = 8


@dataclass(frozen=True)
class Place:
    """What the header says of one tensor."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


@dataclass(frozen=True)
class Header:
    """The checked header: the manifest as parsed JSON, and the tensors in file order."""

    document: dict[str, Any]
    places: dict[str, Place]


def seal(document: dict[str, Any], tensors: dict[str, np.ndarray]) -> bytes:
    """Write manifest and tensors, with the digest of both."""
    document = {key: value for key, value in document.items() if key != DIGEST}
    text = canonical({**document, DIGEST: digest(document, tensors)})
    return save(tensors, metadata={MANIFEST_KEY: text})


def digest(document: dict[str, Any], tensors: dict[str, np.ndarray]) -> str:
    """SHA-256 of the manifest without its digest, and of every tensor with name, dtype, shape."""
    state = hashlib.sha256(canonical(document).encode("ascii"))
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name])
        state.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        state.update(array.reshape(-1).view(np.uint8).data)
    return state.hexdigest()


def read_header(stream: BinaryIO, size: int) -> Header:
    """Read and check the header of a file of ``size`` bytes."""
    if size == 0:
        raise Refused("it is empty")
    if size < _PREFIX:
        raise Refused("it is too short for a model", ANOTHER_FILE)
    length = int.from_bytes(read_exactly(stream, _PREFIX), "little")
    if length > LARGEST_HEADER:
        raise Refused(
            "it does not start like a safetensors file (its header would be "
            f"{length / 2**20:.3g} MiB long)",
            ANOTHER_FILE,
        )
    if length > size - _PREFIX:
        raise Refused("it ends within its header")
    header = parse(read_exactly(stream, length), "its header")
    if not isinstance(header, dict):
        raise Refused("its header is not a JSON object", ANOTHER_FILE)
    metadata = header.pop("__metadata__", None)
    if not isinstance(metadata, dict) or not isinstance(metadata.get(MANIFEST_KEY), str):
        raise Refused("it carries no manifest of this program", ANOTHER_FILE)
    if len(metadata) > 1:
        raise Refused("its header carries more than the manifest")
    places = _places(header, size - _PREFIX - length)
    document = parse(metadata[MANIFEST_KEY], "its manifest")
    if not isinstance(document, dict):
        raise Refused("its manifest is not a JSON object")
    if canonical(document) != metadata[MANIFEST_KEY]:
        # The digest is of the meaning; another spelling of it is damage all the same.
        raise Refused("its manifest is not spelled as this program spells it")
    return Header(document, places)


def read_tensors(stream: BinaryIO, header: Header) -> dict[str, np.ndarray]:
    """Read the tensors that a checked header announces, and hold them against the digest."""
    tensors = {}
    for name, place in header.places.items():
        array = np.empty(place.shape, dtype=DTYPES[place.dtype])
        if array.size:
            fill(stream, memoryview(array.reshape(-1).view(np.uint8).data))
        tensors[name] = array
    document = dict(header.document)
    if document.pop(DIGEST, None) != digest(document, tensors):
        raise Refused("its contents do not match its digest, so it is damaged or was changed")
    return tensors


def read_exactly(stream: BinaryIO, count: int) -> bytes:
    """Read so many bytes, or refuse."""
    buffer = bytearray(count)
    fill(stream, memoryview(buffer))
    return bytes(buffer)


def fill(stream: BinaryIO, buffer: memoryview) -> None:
    """Read into a buffer until it is full, or refuse."""
    done = 0
    while done < len(buffer):
        count = stream.readinto(buffer[done:])  # type: ignore[attr-defined]
        if not count:
            raise Refused("it ends too early")
        done += count


def _places(header: dict[str, Any], size: int) -> dict[str, Place]:
    """Places of the tensors in file order: end to end, and exactly as many bytes as there are."""
    places = {name: _place(name, value) for name, value in header.items()}
    ordered = sorted(places.items(), key=lambda item: (item[1].begin, item[1].end, item[0]))
    position = 0
    for name, place in ordered:
        if place.begin != position:
            raise Refused(f"its tensor {shown(name)} does not follow the one before it")
        position = place.end
    if position > size:
        raise Refused(f"it is truncated: {size} of {position} bytes of tensors are left")
    if position < size:
        raise Refused(f"it has {size - position} bytes that belong to no tensor")
    return dict(ordered)


def _place(name: str, value: object) -> Place:
    fields = Fields(value, f"entry for tensor {shown(name)}")
    dtype = fields.text("dtype", tuple(DTYPES))
    shape, offsets = fields.items("shape", 3), fields.items("data_offsets", 2)
    fields.finish()
    if (
        len(offsets) != 2
        or any(type(part) is not int or part < 0 for part in [*shape, *offsets])
        or (0 in shape and len(shape) > 1)
    ):
        raise Refused(f"its tensor {shown(name)} has an impossible shape or place")
    place = Place(dtype, tuple(shape), *offsets)
    # Python's integers do not overflow.
    if place.end - place.begin != math.prod(shape) * DTYPES[dtype].itemsize:
        raise Refused(f"the size of its tensor {shown(name)} does not match its shape")
    return place
