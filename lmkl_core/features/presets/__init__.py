"""Declarative presets: which crops, networks, layers and pooling make the views."""

from lmkl_core.features.presets.preset import Branch, Crop, Preset

__all__ = ["Branch", "Crop", "Preset"]
