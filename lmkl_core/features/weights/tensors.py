"""Read files of named tensors into NumPy arrays: torch's two formats and safetensors.

torch writes a pickle that describes the tensors, followed by their numbers. Unpickling would run
any code in the file, so nothing is unpickled here: `pickletools` splits the pickle into
instructions, and `_run` interprets the few that describe a dictionary of tensors. Anything else is
an error. Every size is compared with the bytes present before an array is made.

The formats
-----------
zip (torch 1.6 and later)
    An uncompressed archive: ``NAME/data.pkl``, and ``NAME/data/KEY`` for each storage.
legacy
    Five pickles in a row (magic number, version, system, tensors, keys of the storages), then each
    storage as its length and its numbers.
"""

import io
import math
import pickletools
import stat
import struct
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray
from safetensors.numpy import load as load_safetensors

from lmkl_core.errors import InvalidInputError, shortened

LARGEST_FILE = 1 << 30
"""Most bytes of a file of weights; VGG16, the largest, has 0.55e9."""

LARGEST_PICKLE = 16 << 20  # 500 tensors take 50 kB
MOST_SIDES = 8

_MAGIC = 0x1950A86A20F9469CFC6C
_VERSION = 1001
_DTYPES = {
    "torch DoubleStorage": "<f8",
    "torch FloatStorage": "<f4",
    "torch HalfStorage": "<f2",
    "torch LongStorage": "<i8",
    "torch IntStorage": "<i4",
    "torch ShortStorage": "<i2",
    "torch CharStorage": "i1",
    "torch ByteStorage": "u1",
    "torch BoolStorage": "?",
}


class _Unreadable(Exception):
    """A file is refused; the message gives the reason."""


def read_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """Read a file of named tensors, in torch's formats or as safetensors."""
    try:
        data = _read(path)
        if data[8:9] == b"{":  # safetensors: the header follows its length
            return load_safetensors(data)
        tensors, numbers = (_from_zip if data.startswith(b"PK") else _from_legacy)(data)
        return {
            name: _array(tensor, numbers[tensor.storage.key]) for name, tensor in tensors.items()
        }
    except Exception as error:  # a damaged file can raise anything in these readers
        text = shortened(str(error), 120)
        reason = text if isinstance(error, _Unreadable) else f"{type(error).__name__}: {text}"
        raise InvalidInputError(
            f"The weights file {path} cannot be read ({reason}); fetch it again."
        ) from error


def _read(path: Path) -> bytes:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise _Unreadable("it is not a regular file")
    if status.st_size > LARGEST_FILE:
        raise _Unreadable(f"its {status.st_size:,} bytes are more than any network needs")
    return path.read_bytes()


# ------------------------------------------------- torch's two formats


_Natural = Annotated[int, Meta(ge=0, le=LARGEST_FILE)]
_Naturals = Annotated[tuple[_Natural, ...], Meta(max_length=MOST_SIDES)]


class _Storage(Struct, frozen=True, array_like=True):
    """A block of numbers in the file, as described by the pickle."""

    kind: Literal["storage"]
    dtype: str
    key: str
    device: str
    length: _Natural
    view: None = None

    def __post_init__(self) -> None:
        if self.dtype not in _DTYPES:
            raise ValueError(f"unknown type of numbers {self.dtype}")


class _Tensor(Struct, frozen=True, array_like=True):
    """A tensor, a window into a storage, as described by the pickle."""

    storage: _Storage
    offset: _Natural
    shape: _Naturals
    strides: _Naturals


_Content: TypeAlias = tuple[dict[str, _Tensor], dict[str, memoryview]]
"""The tensors by name, and the bytes of their storages by key."""


def _from_zip(data: bytes) -> _Content:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = {item.filename: item for item in archive.infolist()}
        if sum(item.file_size for item in entries.values()) > LARGEST_FILE:
            raise _Unreadable("its entries are larger than any network")
        if any(item.compress_type != zipfile.ZIP_STORED for item in entries.values()):
            raise _Unreadable("it has compressed entries, which torch never writes")
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
        raise _Unreadable("it was not written by torch")
    if _run(stream).get("little_endian") is not True:
        raise _Unreadable("its numbers are big-endian")
    tensors = _tensors(_run(stream))
    sizes = {tensor.storage.key: tensor.storage for tensor in tensors.values()}
    keys, numbers = msgspec.convert(_run(stream), list[str]), {}
    position = stream.tell()
    for key in keys:
        (length,) = struct.unpack_from("<q", data, position)
        if length != sizes[key].length:
            raise _Unreadable(f"storage {key} has {length} numbers instead of {sizes[key].length}")
        position += 8
        end = position + length * _dtype(sizes[key]).itemsize
        numbers[key] = memoryview(data)[position:end]
        position = end
    return tensors, numbers


def _tensors(found: object) -> dict[str, _Tensor]:
    try:
        return msgspec.convert(found, dict[str, _Tensor])
    except msgspec.ValidationError as error:
        raise _Unreadable(f"it does not contain named tensors: {error}") from None


def _dtype(storage: _Storage) -> np.dtype[Any]:
    return np.dtype(_DTYPES[storage.dtype])


def _array(tensor: _Tensor, numbers: memoryview) -> NDArray[Any]:
    """Return a tensor as an array, without copying its numbers."""
    storage, dtype = tensor.storage, _dtype(tensor.storage)
    if len(numbers) < storage.length * dtype.itemsize:
        raise _Unreadable(f"storage {storage.key} is truncated")
    steps = zip(tensor.strides, tensor.shape, strict=True)
    last = tensor.offset + sum(stride * (size - 1) for stride, size in steps)
    count = math.prod(tensor.shape)
    if count == 0:
        return np.empty(tensor.shape, dtype)
    # Overlapping windows could claim far more numbers than there are in the file.
    if last >= storage.length or count > storage.length:
        raise _Unreadable(f"a tensor reaches beyond its storage {storage.key}")
    return np.lib.stride_tricks.as_strided(
        np.frombuffer(numbers, dtype, storage.length)[tensor.offset :],
        tensor.shape,
        [stride * dtype.itemsize for stride in tensor.strides],
        writeable=False,
    )


# ------------------------------------------------- the pickle


_VALUES = frozenset(
    "BININT BININT1 BININT2 LONG1 BINFLOAT BINUNICODE SHORT_BINUNICODE GLOBAL".split()
)
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_CALLS: dict[str, Callable[[tuple[Any, ...]], Any]] = {
    "collections OrderedDict": lambda _: {},
    "torch._utils _rebuild_tensor_v2": lambda arguments: arguments,
    "torch._utils _rebuild_parameter": lambda arguments: arguments[0],
}
"""The results of the calls that a pickle may contain; nothing is actually called."""

_TUPLES = {"EMPTY_TUPLE": 0, "TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


def _run(stream: io.BytesIO) -> Any:
    """Interpret one pickle of plain values and tensors, up to its end."""
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
            stack.append(argument)  # also the name of a class or function, which is never imported
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
                raise _Unreadable("it does not contain named tensors")
            _target(stack, dict).update(zip(items[::2], items[1::2], strict=True))
        elif name in ("APPEND", "APPENDS"):
            items = since_mark() if name == "APPENDS" else [stack.pop()]
            _target(stack, list).extend(items)
        elif name == "REDUCE":
            arguments, function = stack.pop(), stack.pop()
            name = function if isinstance(function, str) else "a value"  # others may hash slowly
            if name not in _CALLS:
                raise _Unreadable(f"it calls {name}, which no tensor needs")
            stack.append(_CALLS[name](arguments))
        elif name == "BUILD":
            # The versions of the modules, which torch attaches to the dictionary.
            stack.pop()
            _target(stack, dict)
        elif name == "STOP":
            return stack.pop()
        elif name not in ("PROTO", "BINPERSID"):  # the latter identifies a storage by a tuple
            raise _Unreadable(f"its description has the instruction {name}")
    raise _Unreadable("its description is truncated")


def _target(stack: Sequence[Any], kind: type) -> Any:
    if type(stack[-1]) is not kind:
        raise _Unreadable(f"its description modifies something that is not a {kind.__name__}")
    return stack[-1]
