"""Files of trained weights: a catalogue, finding them, importing and downloading them.

Only `fetch` uses the internet, and only on request.
"""

from lmkl_core.errors import MissingWeightsError, WrongWeightsError
from lmkl_core.features.weights.catalogue import PackageFile, Weights, entry_of, weights_names
from lmkl_core.features.weights.download import FetchError, fetch
from lmkl_core.features.weights.store import (
    Finding,
    find,
    import_file,
    inspect,
    weights_folder,
)

__all__ = [
    "FetchError",
    "Finding",
    "MissingWeightsError",
    "PackageFile",
    "Weights",
    "WrongWeightsError",
    "entry_of",
    "fetch",
    "find",
    "import_file",
    "inspect",
    "weights_folder",
    "weights_names",
]
