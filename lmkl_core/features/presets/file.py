"""Read and check presets from files and tables."""

import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from lmkl_core.features.descriptors import DESCRIPTORS
from lmkl_core.features.presets.preset import (
    CHOICES,
    Branch,
    Crop,
    DescriptorBranch,
    Preset,
    PresetError,
    check_choice,
    short,
)

DEFAULT_PRESET = "texture"
LONGEST_NAME = 60
MAX_BYTES = 64 * 1024
MAX_LINE = 4000
"""Characters. The parser needs seconds and gigabytes for a dotted key that fills a whole file."""

DESCRIPTOR_SIZE = 64
"""Side in pixels of the faces; common in the literature on hand-crafted descriptors, best here."""

TIGHT = Crop("face", DESCRIPTOR_SIZE)
"""The tight face, for presets that only use parts of it."""

_SUFFIX = ".toml"
_KEYS = {"face": ("centre", "side", "native"), "image": (), "box": ("scale",)}
"""Keys of a crop besides ``of`` and ``size``, by its origin."""

_CROP_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_POSITION = re.compile(r"\[(\d+)\]")
_T = TypeVar("_T")


# ------------------------------------------------- files


def preset_names() -> tuple[str, ...]:
    """Return the names of the shipped presets, the default first."""
    files = [item.name for item in resources.files(__package__).iterdir()]
    names = [name.removesuffix(_SUFFIX) for name in files if name.endswith(_SUFFIX)]
    return tuple(sorted(names, key=lambda name: (name != DEFAULT_PRESET, name)))


def load_preset(name_or_path: str | Path) -> Preset:
    """Read a shipped preset by name, or any other by its path.

    A text without a folder and without ``.toml`` is a name. A preset that cannot be used raises
    `PresetError`; the message names the file, the place and what is allowed.
    """
    if isinstance(name_or_path, str) and not (
        name_or_path.endswith(_SUFFIX) or any(mark in name_or_path for mark in "/\\:\0")
    ):
        check_choice(name_or_path, preset_names(), "preset", "Give a name or a .toml file")
        name = f"{name_or_path}{_SUFFIX}"
        return read_preset((resources.files(__package__) / name).read_bytes(), name)
    path = Path(name_or_path)
    try:
        # Opening a named pipe would wait for a writer.
        if not stat.S_ISREG(path.stat().st_mode):
            raise PresetError(f"{path} is not a file; name a preset file.")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PresetError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:  # a NUL in the path
        raise PresetError(f"{name_or_path!r} is not the path of a file.") from error
    return read_preset(content, str(path))


def read_preset(content: bytes, file: str) -> Preset:
    """Read a preset from the content of a file, TOML in UTF-8; messages call it ``file``."""
    if len(content) > MAX_BYTES:
        raise PresetError(f"{file} is longer than {MAX_BYTES} bytes, the limit for presets.")
    try:
        text = content.decode("utf-8-sig")  # some editors write a byte order mark
    except UnicodeDecodeError as error:
        raise PresetError(f"{file} is not UTF-8 text; save it as UTF-8.") from error
    for line, characters in enumerate(text.split("\n"), start=1):
        if len(characters) > MAX_LINE:
            raise PresetError(f"{file}: line {line} is longer than {MAX_LINE} characters.")
    try:
        return preset_from_dict(tomllib.loads(text))
    except PresetError as error:
        raise PresetError(f"{file}: {error}") from None
    except RecursionError as error:
        raise PresetError(f"{file}: lists or tables are nested too deeply.") from error
    except ValueError as error:
        raise PresetError(f"{file} is not TOML: {error}.") from error


# ------------------------------------------------- tables


@dataclass(frozen=True)
class _PresetTable:
    name: Annotated[str, Meta(max_length=LONGEST_NAME)]
    crops: dict[str, Any]
    branches: list[dict[str, Any]]
    description: Annotated[str, Meta(max_length=2000)] = ""


def preset_from_dict(value: Mapping[str, Any]) -> Preset:
    """Build a preset from the tables of a file, a model or JSON.

    A `PresetError` names the place of the problem, such as ``branches[1].layers[2]``.
    """
    table = _read(_PresetTable, value, "")
    if not table.name.strip() or not table.name.isprintable():
        raise PresetError("name must be one line of text and not empty.")
    if not table.crops:
        raise PresetError("A preset needs at least one crop, such as [crops.face].")
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


def crop_table(crop: Crop) -> dict[str, Any]:
    """Return a crop as a table of a preset file."""
    if crop.of == "image":
        return {"of": "image", "size": crop.size}
    if crop.of == "box":
        return {"of": "box", "scale": crop.scale, "size": crop.size}
    side = {"native": True} if crop.side is None else {"side": crop.side}
    return {"centre": list(crop.centre), **side, "size": crop.size}


def _read(kind: type[_T], value: object, where: str) -> _T:
    """Convert a value, or raise an error that names the place of the problem."""
    if isinstance(value, Mapping) and is_dataclass(kind):
        for key in value:
            check_choice(key, kind.__dataclass_fields__, "key", where or "the preset")
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
            f"A crop cannot be called {short(name)}: use up to 40 letters, digits, hyphens and "
            "underscores, beginning with a letter."
        )
    where = f"crops.{name}"
    table = dict(_read(dict[str, Any], value, where))
    of = _read(str, table.get("of", "face"), f"{where}.of")
    check_choice(of, _KEYS, "origin", f"{where}.of")
    for key in table:
        check_choice(key, ("of", "size", *_KEYS[of]), f"{of} key", where)
    if of == "box" and "scale" not in table:
        raise PresetError(f"{where} needs scale, as a multiple of the box.")
    if of == "face":
        is_native = _read(bool, table.pop("native", False), f"{where}.native")
        if is_native == (table.get("side") is not None):
            raise PresetError(f"{where} needs either side (1.0 is the face) or native = true.")
        table.setdefault("side", None)
    return _read(Crop, table | {"name": name}, where)


def _branch(table: dict[str, Any], where: str) -> Branch | DescriptorBranch:
    if ("network" in table) == ("descriptor" in table):
        raise PresetError(f"{where} needs the key 'network' or the key 'descriptor', not both.")
    if "descriptor" in table:
        return _read(DescriptorBranch, table, where)
    for key, allowed in CHOICES.items():
        if isinstance(table.get(key), str):  # before msgspec, which makes no suggestions
            check_choice(table[key], allowed, key, f"{where}.{key}")
    return _read(Branch, table, where)


# ------------------------------------------------- adding descriptors


def with_descriptors(preset: Preset, crop: str = "face") -> Preset:
    """Return a preset with hand-crafted descriptors added to its own views.

    Descriptors that the preset already has, of any crop, are not added again. They describe the
    crop at 64 pixels: if the preset's crop has another size and may be resampled, the same square
    is cut out a second time, as ``face64``. The new name lists what was added, as in
    ``texture+lbp+iqm``.

    The tight face is added if the preset has only other crops of the face. Any other crop that is
    missing or too small raises `PresetError`.
    """
    names = [item.name for item in preset.crops]
    present = {branch.descriptor for branch in preset.descriptor_branches}
    wanted = [name for name in DESCRIPTORS if name not in present]
    if not wanted:
        return preset
    if crop not in names and not (crop == TIGHT.name and any(c.of == "face" for c in preset.crops)):
        raise PresetError(
            f"The preset {preset.name} has no crop {crop!r} to describe; its crops are "
            f"{', '.join(names)}."
        )
    used = preset.crop(crop) if crop in names else TIGHT
    if used.size != DESCRIPTOR_SIZE and not used.is_native:
        used = replace(used, name=f"{used.name}{DESCRIPTOR_SIZE}", size=DESCRIPTOR_SIZE)
    if used not in preset.crops and used.name in names:
        raise PresetError(f"The preset {preset.name} has another crop {used.name!r}; rename it.")
    suffix = "".join(f"+{name}" for name in wanted)
    return replace(
        preset,
        name=preset.name[: LONGEST_NAME - len(suffix)] + suffix,
        crops=tuple(dict.fromkeys((*preset.crops, used))),
        branches=(*preset.branches, *(DescriptorBranch(name, (used.name,)) for name in wanted)),
    )
