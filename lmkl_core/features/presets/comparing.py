"""Presets with descriptors added, so that methods are compared on the same crops."""

from collections.abc import Iterable
from dataclasses import replace

from lmkl_core.features.presets.errors import PresetError
from lmkl_core.features.presets.preset import DescriptorBranch, Preset
from lmkl_core.features.presets.schema import LONGEST_NAME, preset_from_dict
from lmkl_core.features.presets.writing import preset_to_dict


def with_descriptors(
    preset: Preset, descriptors: Iterable[str] = ("lbp", "iqm"), *, crop: str = "face"
) -> Preset:
    """Return a preset with descriptors made by hand beside its own views.

    What the preset has already is not added again; if that is everything, it comes back as it is.

    Parameters
    ----------
    preset : Preset
        Any preset with a crop of that name.
    descriptors : iterable of str, default=("lbp", "iqm")
        Names in the registry of descriptors.
    crop : str, default="face"
        The crop they are made of.

    Returns
    -------
    Preset
        Its views first, then ``crop/descriptor`` in the order of ``descriptors``; its name tells
        what was added, as in ``texture+lbp+iqm``.

    Raises
    ------
    PresetError
        If the preset has no such crop, the crop is too small, or a descriptor does not exist.
    """
    if crop not in (item.name for item in preset.crops):
        raise PresetError(
            f"The preset {preset.name} has no crop {crop!r} to make descriptors of; its crops are "
            f"{', '.join(item.name for item in preset.crops)}."
        )
    branches = [DescriptorBranch(name, (crop,)) for name in dict.fromkeys(descriptors)]
    added = [item for item in branches if item.view_name(crop) not in preset.view_names]
    if not added:
        return preset
    suffix = "".join(f"+{branch.descriptor}" for branch in added)
    larger = replace(
        preset,
        name=preset.name[: LONGEST_NAME - len(suffix)] + suffix,
        branches=(*preset.branches, *added),
    )
    # Checked as a file would be, so that what cannot be computed is told in the same words.
    return preset_from_dict(preset_to_dict(larger))
