"""torch, which is optional: only networks without a description need it."""

from importlib.util import find_spec
from typing import Final

from lmkl_core.features.engines.engine import EngineError

INSTALL_TORCH: Final = 'pip install "lmkl-pad[torch]"'


def has_torch() -> bool:
    """Whether torch is installed; it is not loaded."""
    return find_spec("torch") is not None


def without_torch(what: str) -> EngineError:
    """Return the error for something that needs torch where there is none.

    Parameters
    ----------
    what : str
        What needs it; begins the sentence.
    """
    return EngineError(f"{what} needs torch, which is not installed: {INSTALL_TORCH}.")
