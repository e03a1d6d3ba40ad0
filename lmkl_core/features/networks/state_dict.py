"""Weights from a file into a network: strictly, and with one sentence for whatever is wrong.

Files are read as tensors only (``weights_only`` or safetensors: no code in a file ever runs), and
every tensor must have its place and its shape. The networks are built without memory of their own
first, so that loading costs one copy of what is used.
"""

import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.networks.families import Stages
from lmkl_core.features.networks.spec import NetworkSpec

LARGEST_FILE = 1 << 30
"""Bytes that a file of weights may have, packed or unpacked; VGG16, the largest, has 0.55e9."""

# Counts training steps: of no use here, and missing in old files.
_COUNTER = "num_batches_tracked"


def load_network(spec: NetworkSpec, path: Path) -> tuple[nn.Module, ...]:
    """Build the network and load its weights.

    Returns
    -------
    tuple of Module
        One a layer of ``spec``, in evaluation mode, float32.

    Raises
    ------
    InvalidInputError
        If the file cannot be read or is not of this network.
    """
    state = read_tensors(path)
    with torch.device("meta"):
        stages = spec.build(_shapes(state, spec)) if spec.takes_shapes else spec.build()
    fill(stages, spec, state, path)
    return stages.chain


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Read a file of named tensors, as torch or as safetensors.

    Raises
    ------
    InvalidInputError
        If it is too large, damaged, or holds anything else.
    """
    try:
        _check_size(path)
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            state: object = load_file(path)
        else:
            state = torch.load(path, map_location="cpu", weights_only=True)
    except InvalidInputError:
        raise
    except Exception as error:  # torch and zipfile raise nearly anything on damaged files
        # torch's own text goes on for paragraphs and proposes to switch its safety off.
        reason = str(error).strip().partition("\n")[0].partition(". ")[0][:120]
        raise InvalidInputError(
            f"The weights file {path} cannot be read ({type(error).__name__}: {reason}); "
            "fetch it again."
        ) from error
    if not isinstance(state, Mapping) or not all(
        isinstance(name, str) and isinstance(value, Tensor) for name, value in state.items()
    ):
        raise InvalidInputError(
            f"The weights file {path} does not hold named tensors; it must be a state dict."
        )
    return dict(state)


def fill(stages: Stages, spec: NetworkSpec, state: Mapping[str, Tensor], path: Path) -> None:
    """Give the network its weights, which must fit name by name and shape by shape.

    Parameters
    ----------
    stages : Stages
        The network, its body without memory (device ``meta``) or with.
    spec : NetworkSpec
        Says which tensors of the file are of no use.
    state : mapping
        Named tensors, under the names of a published file.
    path : Path
        The file, for messages.

    Raises
    ------
    InvalidInputError
        Naming the file and the first difference.
    """
    needed = stages.body.state_dict()
    found = _renamed(state, spec)
    tensors = {}
    for name, place in needed.items():
        if name.endswith(_COUNTER):
            tensors[name] = torch.zeros((), dtype=torch.int64)
            continue
        if name not in found:
            raise _differs(path, spec, f"{name} is missing")
        tensors[name] = _checked(found[name], name, place, path, spec)
    for name in found:
        if name not in needed:
            raise _differs(path, spec, f"{name} has no place in the network")
    stages.body.load_state_dict(tensors, strict=True, assign=True)
    for stage in (stages.body, *stages.chain):
        stage.eval().requires_grad_(False)


def _check_size(path: Path) -> None:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise InvalidInputError(
            f"The weights file {path} is not a file of its own; put a file in its place."
        )
    size, is_packed = status.st_size, False
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
        size = max(size, sum(item.file_size for item in entries))
        is_packed = any(item.compress_type != zipfile.ZIP_STORED for item in entries)
    if size > LARGEST_FILE:
        raise InvalidInputError(
            f"The weights file {path} unpacks to {size:,} bytes; no network here has more than "
            f"{LARGEST_FILE:,}, so it is not read."
        )
    if is_packed:  # torch packs nothing, and what is packed may be a bomb
        raise InvalidInputError(
            f"The weights file {path} holds compressed entries, which torch never writes; fetch "
            "it again."
        )


def _shapes(state: Mapping[str, Tensor], spec: NetworkSpec) -> dict[str, tuple[int, ...]]:
    return {name: tuple(value.shape) for name, value in _renamed(state, spec).items()}


def _renamed(state: Mapping[str, Tensor], spec: NetworkSpec) -> dict[str, Tensor]:
    """Drop what no layer needs and turn the file's names into the body's."""
    kept = {
        name: value
        for name, value in state.items()
        if not name.startswith(spec.unused) and not name.endswith(_COUNTER)
    }
    return dict(zip(spec.rename(list(kept)), kept.values(), strict=True))


def _checked(tensor: Tensor, name: str, place: Tensor, path: Path, spec: NetworkSpec) -> Tensor:
    if tensor.shape != place.shape:
        have, want = tuple(tensor.shape), tuple(place.shape)
        raise _differs(path, spec, f"{name} has shape {have} instead of {want}")
    if tensor.layout != torch.strided or tensor.device.type != "cpu" or tensor.is_quantized:
        raise _differs(path, spec, f"{name} is not stored number by number")
    if not tensor.is_floating_point():
        raise _differs(path, spec, f"{name} holds {tensor.dtype} instead of real numbers")
    tensor = tensor.detach().to(torch.float32)
    if not bool(torch.isfinite(tensor).all()):
        raise _differs(path, spec, f"{name} holds values that are not finite")
    return tensor


def _differs(path: Path, spec: NetworkSpec, difference: str) -> InvalidInputError:
    return InvalidInputError(
        f"The weights file {path} does not fit {spec.name}: {difference}; "
        f"put the file made for {spec.name} in its place."
    )
