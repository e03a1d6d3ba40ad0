"""Graphs that a build brings along, so that it can do without torch.

A one-folder build holds the exported graphs of the offline presets: torch, with which they would
be made at the first start, is larger than all the rest. They lie in the folder ``shipped`` beside
this file, which an ordinary installation does not have: graphs as `engines.cache` writes them,
with the values that torch gave, and `WEIGHTS_FILE`, which names the weights that they were made
from. They are found by what they compute and by these weights' checksums, so that models know
them for the same views.
"""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from lmkl_core.features.engines.engine import EngineError

EXPORTER: Final = "shipped"
"""In the key of a graph, what stands for the versions of torch and onnxruntime."""

WEIGHTS_FILE: Final = "weights.json"
HOW_TO_GET_TORCH: Final = "install lmkl-pad with `pipx install lmkl-pad`, which brings it"

_FOLDER = Path(__file__).parent / "shipped"


def shipped_folder() -> Path:
    """Return the folder of shipped graphs, which exists in one-folder builds alone."""
    return _FOLDER


def shipped_weights() -> dict[str, str]:
    """Return name and SHA-256 of all weights that shipped graphs were made from."""
    try:
        content = json.loads((shipped_folder() / WEIGHTS_FILE).read_text(encoding="utf-8"))
        return {str(name): str(digest) for name, digest in content.items()}
    except (OSError, ValueError, AttributeError):
        return {}


def has_torch() -> bool:
    """Whether networks can be exported here; torch is looked for, not loaded."""
    return find_spec("torch") is not None


def without_torch(what: str) -> EngineError:
    """Return the error for something that needs torch where there is none.

    Parameters
    ----------
    what : str
        What needs it; begins the sentence.
    """
    return EngineError(f"{what} needs torch, which is not in this build: {HOW_TO_GET_TORCH}.")


def refuse_unshipped(networks: tuple[str, ...], preset: str) -> None:
    """Raise where a preset's networks are neither shipped nor can be exported.

    Asked before weights are looked for: fetching them would not help.

    Raises
    ------
    EngineError
        In one sentence, with the way out.
    """
    if has_torch():
        return
    known = shipped_weights()
    if others := [name for name in networks if name not in known]:
        raise without_torch(f"The preset {preset} (its networks {', '.join(others)})")
