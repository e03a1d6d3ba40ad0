"""Files with trained weights: which there are, where they lie, and how they get there.

Everything here works without a network but `fetch`, which is only called when a person asks.
"""

from lmkl_core.features.weights.catalogue import PackageFile, Weights, entry_of, weights_names
from lmkl_core.features.weights.download import fetch
from lmkl_core.features.weights.errors import FetchError, MissingWeightsError, WrongWeightsError
from lmkl_core.features.weights.importing import import_file
from lmkl_core.features.weights.store import (
    Finding,
    WeightsFile,
    find,
    inspect,
    verify,
    weights_folder,
)

__all__ = [
    "FetchError",
    "Finding",
    "MissingWeightsError",
    "PackageFile",
    "Weights",
    "WeightsFile",
    "WrongWeightsError",
    "entry_of",
    "fetch",
    "find",
    "import_file",
    "inspect",
    "verify",
    "weights_folder",
    "weights_names",
]
