"""The caller's wish to stop a long computation, asked for in one way everywhere."""

from collections.abc import Callable

from lmkl_core.errors import Cancelled


def asked_to_stop(cancel: Callable[[], bool] | None) -> bool:
    """Ask the caller, where there is anyone to ask."""
    return cancel is not None and cancel()


def raise_if_cancelled(
    cancel: Callable[[], bool] | None,
    said: str = "The fit was cancelled; the model is as it was before.",
) -> None:
    """Turn the caller's wish to stop into `Cancelled`, saying what it left behind."""
    if asked_to_stop(cancel):
        raise Cancelled(said)
