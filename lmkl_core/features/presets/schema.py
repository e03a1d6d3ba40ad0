"""The tables of a preset file, checked and turned into a `Preset`, and back."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from lmkl_core.features.presets.preset import (
    Branch,
    Crop,
    DescriptorBranch,
    Preset,
    PresetError,
    check_choice,
    short,
)

LONGEST_NAME = 60

_PLACES = {
    "face": ("a square on the face", ("centre", "side", "native")),
    "image": ("the whole image", ()),
    "box": ("the detector's box", ("scale",)),
}
_CROP_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_POSITION = re.compile(r"\[(\d+)\]")

_Coordinate = Annotated[float, Meta(ge=-2, le=3)]


class _PresetTable(msgspec.Struct):
    name: Annotated[str, Meta(max_length=LONGEST_NAME)]
    crops: dict[str, Any]
    branches: list[Any]
    description: Annotated[str, Meta(max_length=2000)] = ""


class _CropTable(msgspec.Struct):
    size: int
    of: str = "face"
    centre: tuple[_Coordinate, _Coordinate] = (0.5, 0.5)
    side: Annotated[float, Meta(ge=0.05, le=10)] | UnsetType = UNSET
    native: bool = False
    scale: Annotated[float, Meta(ge=0.1, le=10)] | UnsetType = UNSET


class _DescriptorTable(msgspec.Struct):
    descriptor: str
    crops: tuple[str, ...]


class _NetworkTable(msgspec.Struct):
    network: str
    crops: tuple[str, ...]
    layers: tuple[str, ...]
    # Which words are allowed is for the preset to check.
    pooling: str = Branch.pooling
    photometry: str = Branch.photometry
    normalisation: str = Branch.normalisation


_T = TypeVar("_T", bound=msgspec.Struct)


def preset_from_dict(value: Mapping[str, Any]) -> Preset:
    """Build a preset from the tables of a file, of a model or of JSON.

    Raises
    ------
    PresetError
        If anything is wrong with it; the message names the place, as in ``branches[1].layers[2]``.
    """
    table = _read(_PresetTable, value, "")
    if not table.name.strip() or not table.name.isprintable():
        raise PresetError("name must be one line of text that is not empty.")
    if not table.crops:
        raise PresetError("A preset needs at least one crop, as in [crops.face].")
    crops = tuple(_crop(name, crop) for name, crop in table.crops.items())
    branches = tuple(
        _branch(branch, f"branches[{number}]")
        for number, branch in enumerate(table.branches, start=1)
    )
    preset = Preset(table.name, table.description, crops, branches)
    used = {name for branch in branches for name in branch.crops}
    for crop in crops:
        if crop.name not in used:
            raise PresetError(
                f"crops.{crop.name}: no branch uses this crop; name it in a branch's crops or "
                "remove it."
            )
    return preset


def _read(kind: type[_T], value: object, where: str) -> _T:
    """Convert a table; say where it is wrong."""
    if isinstance(value, Mapping):
        for key in value:
            check_choice(key, kind.__struct_fields__, "key", where or "the preset")
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at `$.")
        problem = problem.replace("Object missing required field", "missing key")
        problem = problem.replace("`object`", "a table").replace("`array`", "a list")
        place = _POSITION.sub(lambda match: f"[{int(match[1]) + 1}]", place.rstrip("`"))
        at = ".".join(filter(None, (where, place))) or "the preset"
        raise PresetError(f"{at}: {problem[:1].lower()}{problem[1:]}.") from None


def _crop(name: str, value: object) -> Crop:
    if not _CROP_NAME.fullmatch(name):
        raise PresetError(
            f"A crop cannot be called {short(name)}: it takes up to 40 letters, digits, hyphens "
            "and underscores, a letter first."
        )
    where = f"crops.{name}"
    table = _read(_CropTable, value, where)
    check_choice(table.of, _PLACES, "origin", f"{where}.of")
    what, keys = _PLACES[table.of]
    assert isinstance(value, Mapping)
    for key in value:
        if key not in ("of", "size", *keys):
            raise PresetError(
                f'{where}.{key} says nothing about {what} (of = "{table.of}"); remove it.'
            )
    if table.of == "image":
        return Crop(name, table.size, of="image")
    if table.of == "box":
        if table.scale is UNSET:
            raise PresetError(f"{where} needs scale, as a multiple of the box.")
        return Crop(name, table.size, of="box", scale=table.scale)
    if table.native != (table.side is UNSET):
        raise PresetError(f"{where} needs either side (1.0 is the face) or native = true.")
    side = None if table.side is UNSET else table.side
    return Crop(name, table.size, table.centre, side)


def _branch(value: object, where: str) -> Branch | DescriptorBranch:
    if isinstance(value, Mapping) and ("network" in value) == ("descriptor" in value):
        raise PresetError(f"{where} needs the key 'network' or the key 'descriptor', not both.")
    if isinstance(value, Mapping) and "descriptor" in value:
        described = _read(_DescriptorTable, value, where)
        return DescriptorBranch(described.descriptor, described.crops)
    table = _read(_NetworkTable, value, where)
    return Branch(*msgspec.structs.astuple(table))


def preset_to_dict(preset: Preset) -> dict[str, Any]:
    """Return a preset as tables, lists, texts and numbers, every default written out.

    `preset_from_dict` turns it back into an equal preset, also by way of JSON or TOML that keeps
    the order of keys.
    """
    return {
        "name": preset.name,
        "description": preset.description,
        "crops": {crop.name: _crop_table(crop) for crop in preset.crops},
        "branches": [json_values(branch) for branch in preset.branches],
    }


def to_toml(preset: Preset) -> str:
    """Return a preset as the text of a file that `load_preset` reads."""
    tables = preset_to_dict(preset)
    blocks = [_lines({"name": tables["name"], "description": tables["description"]})]
    blocks += [f"[crops.{name}]\n{_lines(crop)}" for name, crop in tables["crops"].items()]
    blocks += [f"[[branches]]\n{_lines(branch)}" for branch in tables["branches"]]
    return "\n".join(blocks)


def json_values(item: Crop | Branch | DescriptorBranch) -> dict[str, Any]:
    """Return the attributes of a part of a preset, tuples as lists."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in vars(item).items()}


def _crop_table(crop: Crop) -> dict[str, Any]:
    if crop.of == "image":
        return {"of": "image", "size": crop.size}
    if crop.of == "box":
        return {"of": "box", "scale": crop.scale, "size": crop.size}
    side = {"native": True} if crop.side is None else {"side": crop.side}
    return {"centre": list(crop.centre), **side, "size": crop.size}


def _lines(table: dict[str, Any]) -> str:
    # JSON's texts, numbers, truth values and lists are TOML's too, but for one character that TOML
    # wants escaped.
    dump = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    lines = "".join(f"{key} = {dump(value)}\n" for key, value in table.items())
    return lines.replace("\x7f", "\\u007f")
