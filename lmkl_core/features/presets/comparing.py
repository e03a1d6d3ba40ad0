"""Presets with descriptors added, so that methods are compared on the same frames and faces."""

from collections.abc import Iterable
from dataclasses import replace

from lmkl_core.features.presets.errors import PresetError
from lmkl_core.features.presets.preset import Crop, DescriptorBranch, Preset
from lmkl_core.features.presets.schema import LONGEST_NAME, preset_from_dict
from lmkl_core.features.presets.writing import preset_to_dict

DESCRIPTOR_SIZE = 64
"""Side in pixels of the faces that the literature makes descriptors of, and that do best here."""

TIGHT = Crop("face", DESCRIPTOR_SIZE)
"""The tight face, for presets that look at parts of it alone."""


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
    tables = preset_to_dict(
        replace(
            preset,
            name=preset.name[: LONGEST_NAME - len(suffix)] + suffix,
            crops=tuple(dict.fromkeys((*preset.crops, used))),
            branches=(
                *preset.branches,
                *(DescriptorBranch(name, (used.name,)) for name in wanted),
            ),
        )
    )
    # Checked as a file would be, so that what cannot be computed is told in the same words.
    return preset_from_dict(tables)


def _in_size(crop: Crop, size: int | None) -> Crop:
    if size is None or crop.size == size or crop.is_native:
        return crop
    return replace(crop, name=f"{crop.name}{size}", size=size)
