"""Descriptors made by hand: views of a crop that need no network, no weights and no engine.

They are what one-class face detectors used before networks, and stand beside the networks' views
so that methods can be compared on the same crops.
"""

from lmkl_core.features.descriptors.registry import DESCRIPTORS, Descriptor, DescriptorEngine

__all__ = ["DESCRIPTORS", "Descriptor", "DescriptorEngine"]
