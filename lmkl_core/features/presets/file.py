"""Presets as files: those that are shipped, by name, and others by path."""

import stat
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from importlib import resources
from pathlib import Path

from lmkl_core.features.presets.preset import (
    Crop,
    DescriptorBranch,
    Preset,
    PresetError,
    check_choice,
)
from lmkl_core.features.presets.schema import LONGEST_NAME, preset_from_dict

DEFAULT_PRESET = "texture"
MAX_BYTES = 64 * 1024
MAX_LINE = 4000
"""Characters in a line. The parser takes seconds and gigabytes for a dotted key that fills a whole
file, and gives up on numbers of 4300 digits without naming their line."""

DESCRIPTOR_SIZE = 64
"""Side in pixels of the faces that the literature makes descriptors of, and that do best here."""

TIGHT = Crop("face", DESCRIPTOR_SIZE)
"""The tight face, for presets that look at parts of it alone."""

_SUFFIX = ".toml"


def preset_names() -> tuple[str, ...]:
    """Names of the shipped presets, the default first."""
    names = sorted(
        item.name.removesuffix(_SUFFIX)
        for item in resources.files(__package__).iterdir()
        if item.name.endswith(_SUFFIX)
    )
    return tuple(sorted(names, key=lambda name: name != DEFAULT_PRESET))


def load_preset(name_or_path: str | Path) -> Preset:
    """Read a shipped preset by its name, or any other by its path.

    Parameters
    ----------
    name_or_path : str or Path
        A text without a folder and without ``.toml`` is a shipped preset's name; anything else
        is the path of a file.

    Raises
    ------
    PresetError
        If it cannot be used; the message names the file, the place and what is allowed.
    """
    if isinstance(name_or_path, str) and _is_name(name_or_path):
        check_choice(name_or_path, preset_names(), "preset", "Give a name or a .toml file")
        name = f"{name_or_path}{_SUFFIX}"
        return read_preset((resources.files(__package__) / name).read_bytes(), name)
    path = Path(name_or_path)
    try:
        # Opening a named pipe would wait for its writer.
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
    """Read a preset from the bytes of a file, TOML in UTF-8; messages call it ``file``.

    Raises
    ------
    PresetError
        If it cannot be used; the message names the file, the place and what is allowed.
    """
    if len(content) > MAX_BYTES:
        raise PresetError(f"{file} is longer than {MAX_BYTES} bytes, which no preset is.")
    try:
        text = content.decode("utf-8-sig")  # some editors begin a file with a mark of its encoding
    except UnicodeDecodeError as error:
        raise PresetError(f"{file} is not text in UTF-8.") from error
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


def with_descriptors(
    preset: Preset,
    descriptors: Iterable[str] = ("lbp", "iqm"),
    *,
    crop: str = "face",
    size: int | None = DESCRIPTOR_SIZE,
) -> Preset:
    """Return a preset with descriptors made by hand beside its own views.

    Descriptors that the preset has already, of whatever crop, are not added; if none is left, it
    comes back as it is.

    Parameters
    ----------
    preset : Preset
        Any preset with a crop of that name, or, for the tight face, with any crop of the face.
    descriptors : iterable of str, default=("lbp", "iqm")
        Names in the registry of descriptors.
    crop : str, default="face"
        The crop they are made of.
    size : int, optional, default=64
        Its side in pixels. If the preset's has another one, the same square is cut a second
        time in this size, as the crop ``face64``. None takes the preset's as it is, and so does a
        crop whose pixels are never resampled.

    Returns
    -------
    Preset
        Its own views first, then one for each descriptor, such as ``face64/lbp``; its name tells
        what was added, as in ``texture+lbp+iqm``.

    Raises
    ------
    PresetError
        If the preset has no such crop, or calls another one ``face64``, the crop is too small, or
        a descriptor does not exist.
    """
    names = [item.name for item in preset.crops]
    present = {branch.descriptor for branch in preset.descriptor_branches}
    wanted = [name for name in dict.fromkeys(descriptors) if name not in present]
    if not wanted:
        return preset
    if crop not in names and not (crop == TIGHT.name and any(c.of == "face" for c in preset.crops)):
        raise PresetError(
            f"The preset {preset.name} has no crop {crop!r} to make descriptors of; its crops are "
            f"{', '.join(names)}."
        )
    used = _in_size(preset.crop(crop) if crop in names else TIGHT, size)
    if used not in preset.crops and used.name in names:
        raise PresetError(
            f"The preset {preset.name} has another crop {used.name!r}; give that one another name."
        )
    suffix = "".join(f"+{name}" for name in wanted)
    return replace(
        preset,
        name=preset.name[: LONGEST_NAME - len(suffix)] + suffix,
        crops=tuple(dict.fromkeys((*preset.crops, used))),
        branches=(*preset.branches, *(DescriptorBranch(name, (used.name,)) for name in wanted)),
    )


def _in_size(crop: Crop, size: int | None) -> Crop:
    if size is None or crop.size == size or crop.is_native:
        return crop
    return replace(crop, name=f"{crop.name}{size}", size=size)


def _is_name(text: str) -> bool:
    return not text.endswith(_SUFFIX) and not any(mark in text for mark in "/\\:\0")
