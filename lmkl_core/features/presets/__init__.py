"""Declarative presets: which crops, networks, layers, pooling and descriptors make the views."""

from lmkl_core.features.presets.comparing import with_descriptors
from lmkl_core.features.presets.errors import PresetError
from lmkl_core.features.presets.file import (
    DEFAULT_PRESET,
    load_preset,
    preset_names,
    read_preset,
)
from lmkl_core.features.presets.preset import Branch, Crop, DescriptorBranch, Preset
from lmkl_core.features.presets.schema import preset_from_dict
from lmkl_core.features.presets.writing import preset_to_dict, to_toml

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
    "preset_to_dict",
    "read_preset",
    "to_toml",
    "with_descriptors",
]
