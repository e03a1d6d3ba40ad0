"""Results of joblib's jobs, as they arrive."""

import warnings
from collections.abc import Generator, Sequence
from typing import Any

from joblib import Parallel

from app.evaluation.progress import CANCELLED, Cancel
from lmkl_core.errors import raise_if_cancelled


def arriving(
    parallel: Parallel, tasks: Sequence[Any], cancel: Cancel | None
) -> Generator[Any, None, None]:
    """Yield the results of tasks in the order in which they are done.

    Parameters
    ----------
    parallel : joblib.Parallel
        With ``return_as="generator_unordered"``.
    tasks : sequence
        As `joblib.delayed` makes them.
    cancel : callable, optional
        Asked after each result but the last.

    Raises
    ------
    Cancelled
        If ``cancel`` said so.
    """
    results = parallel(iter(tasks))
    try:
        for done, result in enumerate(results, start=1):
            yield result
            if done < len(tasks):
                raise_if_cancelled(cancel, CANCELLED)
    finally:
        with warnings.catch_warnings():
            # Tasks that cancelling abandons are expected.
            warnings.filterwarnings("ignore", ".*still being processed by the workers")
            results.close()
