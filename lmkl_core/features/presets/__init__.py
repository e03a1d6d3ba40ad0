"""Presets: declare the crops, networks, layers, pooling and descriptors that make the views."""

from lmkl_core.features.presets.file import (
    DEFAULT_PRESET,
    load_preset,
    preset_from_dict,
    preset_names,
    read_preset,
    with_descriptors,
)
from lmkl_core.features.presets.preset import (
    Branch,
    Crop,
    DescriptorBranch,
    Preset,
    PresetError,
)

__all__ = [
    "DEFAULT_PRESET",
    "Branch",
    "Crop",
    "DescriptorBranch",
    "Preset",
    "PresetError",
    "load_preset",
    "preset_from_dict",
    "preset_names",
    "read_preset",
    "with_descriptors",
]
