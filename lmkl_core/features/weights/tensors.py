"""Read files of named tensors into NumPy arrays: torch's two formats, and safetensors.

torch writes a pickle that describes the tensors, and the numbers beside it. Unpickling would run
any code in the file, so nothing is unpickled here: `pickletools` splits the pickle into
instructions, and `_run` follows the few that describe a dictionary of tensors. Anything else is an
error. Every size is checked against the bytes present before an array is made.

The formats
-----------
zip (torch 1.6 and later)
    An archive, nothing compressed: ``NAME/data.pkl`` and ``NAME/data/KEY`` for each storage.
legacy
    Five pickles one after the other (magic number, version, system, tensors, keys of the
    storages), then each storage as its length and its numbers.
"""

import io
import pickletools
import stat
import struct
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load as load_safetensors

from lmkl_core.errors import InvalidInputError, shortened

LARGEST_FILE = 1 << 30
"""Bytes that a file of weights may have; VGG16, the largest, has 0.55e9."""

LARGEST_PICKLE = 16 << 20
"""Bytes of the pickle that describes the tensors; 500 tensors take 50 kB."""

MOST_SIDES = 8
"""Dimensions of a tensor; kernels have four."""

_MAGIC = 0x1950A86A20F9469CFC6C
_VERSION = 1001
_DTYPES = {
    "DoubleStorage": "<f8",
    "FloatStorage": "<f4",
    "HalfStorage": "<f2",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "i1",
    "ByteStorage": "u1",
    "BoolStorage": "?",
}
_DICT, _TENSOR, _PARAMETER = (
    "collections OrderedDict",
    "torch._utils _rebuild_tensor_v2",
    "torch._utils _rebuild_parameter",
)


class _Unreadable(Exception):
    """Why a file is refused."""


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Read a file of named tensors, in torch's formats or as safetensors.

    Raises
    ------
    InvalidInputError
        If it is too large, damaged, or holds anything but named tensors.
    """
    try:
        data = _read(path)
        if data[8:9] == b"{":  # after the length of its header
            return load_safetensors(data)
        tensors, numbers = (_from_zip if data.startswith(b"PK") else _from_legacy)(data)
        return {
            name: _array(tensor, numbers[tensor.storage.key]) for name, tensor in tensors.items()
        }
    except InvalidInputError:
        raise
    except Exception as error:  # a damaged file can break any of these readers anywhere
        text = shortened(str(error), 120)
        reason = text if isinstance(error, _Unreadable) else f"{type(error).__name__}: {text}"
        raise InvalidInputError(
            f"The weights file {path} cannot be read ({reason}); fetch it again."
        ) from error


def _read(path: Path) -> bytes:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise InvalidInputError(f"The weights file {path} is not a regular file; replace it.")
    if status.st_size > LARGEST_FILE:
        raise InvalidInputError(
            f"The weights file {path} has {status.st_size:,} bytes, more than the "
            f"{LARGEST_FILE:,} of any network here, so it is not read."
        )
    with path.open("rb") as file:
        return file.read(LARGEST_FILE)


# ------------------------------------------------- the two containers


@dataclass(frozen=True)
class _Storage:
    """Numbers in the file, by the key under which it keeps them."""

    key: str
    dtype: np.dtype[Any]
    length: int


@dataclass(frozen=True)
class _Tensor:
    """A tensor as the pickle describes it: a window into a storage."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


_Content: TypeAlias = tuple[dict[str, _Tensor], dict[str, memoryview]]
"""The tensors by name, and the bytes of their storages by key."""


def _from_zip(data: bytes) -> _Content:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = {item.filename: item for item in archive.infolist()}
        if sum(item.file_size for item in entries.values()) > LARGEST_FILE:
            raise _Unreadable("its entries are larger than any network here")
        if any(item.compress_type != zipfile.ZIP_STORED for item in entries.values()):
            raise _Unreadable("it holds compressed entries, which torch never writes")
        (name,) = (name for name in entries if name.endswith("/data.pkl"))
        root = name.removesuffix("data.pkl")
        order = root + "byteorder"
        if order in entries and archive.read(order) != b"little":
            raise _Unreadable("its numbers are big-endian")
        tensors = _tensors(_run(io.BytesIO(archive.read(name)[:LARGEST_PICKLE])))
        keys = {tensor.storage.key for tensor in tensors.values()}
        return tensors, {key: memoryview(archive.read(f"{root}data/{key}")) for key in keys}


def _from_legacy(data: bytes) -> _Content:
    stream = io.BytesIO(data[:LARGEST_PICKLE])
    if _run(stream) != _MAGIC or _run(stream) != _VERSION:
        raise _Unreadable("it is not a file of torch")
    if _run(stream).get("little_endian") is not True:
        raise _Unreadable("its numbers are big-endian")
    tensors = _tensors(_run(stream))
    sizes = {tensor.storage.key: tensor.storage for tensor in tensors.values()}
    keys, numbers = _run(stream), {}
    position = stream.tell()
    for key in keys:
        (length,) = struct.unpack_from("<q", data, position)
        if length != sizes[key].length:
            raise _Unreadable(f"storage {key} has {length} numbers instead of {sizes[key].length}")
        position += 8
        end = position + length * sizes[key].dtype.itemsize
        numbers[key] = memoryview(data)[position:end]
        position = end
    return tensors, numbers


def _tensors(found: object) -> dict[str, _Tensor]:
    if not isinstance(found, dict) or not all(
        isinstance(name, str) and isinstance(value, _Tensor) for name, value in found.items()
    ):
        raise _Unreadable("it does not hold named tensors")
    return found


def _array(tensor: _Tensor, numbers: memoryview) -> NDArray[Any]:
    """Return a tensor's numbers, without copying them."""
    storage = tensor.storage
    if len(numbers) < storage.length * storage.dtype.itemsize:
        raise _Unreadable(f"storage {storage.key} is cut short")
    flat = np.frombuffer(numbers, storage.dtype, storage.length)
    steps = zip(tensor.strides, tensor.shape, strict=True)
    last = tensor.offset + sum(stride * (size - 1) for stride, size in steps)
    count = int(np.prod(tensor.shape, dtype=np.float64))
    if count == 0:
        return np.empty(tensor.shape, storage.dtype)
    # Overlapping windows could claim far more numbers than the file holds.
    if last >= storage.length or count > storage.length:
        raise _Unreadable(f"a tensor reaches beyond its storage {storage.key}")
    return np.lib.stride_tricks.as_strided(
        flat[tensor.offset :],
        tensor.shape,
        [stride * storage.dtype.itemsize for stride in tensor.strides],
        writeable=False,
    )


# ------------------------------------------------- the pickle


@dataclass(frozen=True)
class _Name:
    """A class or function that the pickle refers to; it is never looked up."""

    text: str


_VALUES = frozenset(
    ("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE")
)
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_TUPLES = {"EMPTY_TUPLE": 0, "TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


def _run(stream: io.BytesIO) -> Any:
    """Follow one pickle, up to its end, as far as it describes plain values and tensors."""
    stack: list[Any] = []
    marks: list[int] = []
    memo: dict[int, Any] = {}

    def since_mark() -> list[Any]:
        place = marks.pop()
        items = stack[place:]
        del stack[place:]
        return items

    argument: Any
    for opcode, argument, _ in pickletools.genops(stream):
        name = opcode.name
        if name in _VALUES:
            stack.append(argument)
        elif name in ("BINPUT", "LONG_BINPUT"):
            memo[argument] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET"):
            stack.append(memo[argument])
        elif name == "MARK":
            marks.append(len(stack))
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name in _TUPLES:
            n = _TUPLES[name]
            stack[len(stack) - n :] = [tuple(stack[len(stack) - n :])]
        elif name == "TUPLE":
            stack.append(tuple(since_mark()))
        elif name in ("EMPTY_DICT", "EMPTY_LIST"):
            stack.append({} if name == "EMPTY_DICT" else [])
        elif name in ("SETITEM", "SETITEMS"):
            items = since_mark() if name == "SETITEMS" else [stack.pop(-2), stack.pop()]
            # Other keys could take forever to hash.
            if not all(isinstance(key, str) for key in items[::2]):
                raise _Unreadable("it does not hold named tensors")
            _target(stack, dict).update(zip(items[::2], items[1::2], strict=True))
        elif name in ("APPEND", "APPENDS"):
            items = since_mark() if name == "APPENDS" else [stack.pop()]
            _target(stack, list).extend(items)
        elif name == "GLOBAL":
            stack.append(_Name(argument))
        elif name == "BINPERSID":
            stack.append(_storage(*stack.pop()))
        elif name == "REDUCE":
            arguments = stack.pop()
            stack.append(_made(stack.pop(), arguments))
        elif name == "BUILD":
            # torch hangs the versions of the modules onto the dictionary.
            stack.pop()
            _target(stack, dict)
        elif name == "STOP":
            return stack.pop()
        elif name != "PROTO":
            raise _Unreadable(f"its description holds the instruction {name}")
    raise _Unreadable("its description is cut short")


def _target(stack: Sequence[Any], kind: type) -> Any:
    if type(stack[-1]) is not kind:
        raise _Unreadable(f"its description changes what is not a {kind.__name__}")
    return stack[-1]


def _storage(
    kind: str, what: _Name, key: str, _device: str, length: int, view: object = None
) -> _Storage:
    module, _, name = what.text.partition(" ")
    if kind != "storage" or module != "torch" or name not in _DTYPES or view is not None:
        raise _Unreadable(f"it holds numbers of the kind {what.text}")
    if type(key) is not str or type(length) is not int or not 0 <= length <= sys.maxsize:
        raise _Unreadable("it describes a storage that cannot be")
    return _Storage(key, np.dtype(_DTYPES[name]), length)


def _made(what: _Name, arguments: tuple[Any, ...]) -> Any:
    """Return what a call in the pickle stands for; nothing is called."""
    if what.text == _DICT and arguments == ():
        return {}
    if what.text == _TENSOR:
        storage, offset, shape, strides = arguments[:4]
        if type(shape) is not tuple or type(strides) is not tuple or len(shape) > MOST_SIDES:
            raise _Unreadable("it describes a tensor that cannot be")
        numbers = (offset, *shape, *strides[: MOST_SIDES + 1])
        if not isinstance(storage, _Storage) or any(
            type(number) is not int or not 0 <= number <= LARGEST_FILE for number in numbers
        ):
            raise _Unreadable("it describes a tensor that cannot be")
        return _Tensor(storage, offset, shape, strides)
    if what.text == _PARAMETER and isinstance(arguments[0], _Tensor):
        return arguments[0]
    raise _Unreadable(f"it asks for {what.text.replace(' ', '.')}, which no tensor needs")
