"""Fetch weights on request: resumed, checked, and put in place in one step."""

import os
from collections.abc import Callable
from pathlib import Path

from lmkl_core.features.engines.engine import has_torch, without_torch
from lmkl_core.features.networks.registry import NETWORKS
from lmkl_core.features.weights.catalogue import Weights
from lmkl_core.features.weights.checksums import sha256_of
from lmkl_core.features.weights.errors import not_fetched, wrong_download
from lmkl_core.features.weights.store import (
    Checksum,
    WeightsFile,
    inspect,
    partial_path,
    weights_folder,
    whole_file,
)
from lmkl_core.features.weights.transfer import (
    Interrupted,
    Progress,
    Refused,
    check_url,
    forget,
    transfer,
)
from lmkl_core.system.locking import Locked, only_one

TIMEOUT = 20.0
ATTEMPTS = 5


def fetch(
    entry: Weights,
    folder: Path | str | None = None,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
    *,
    timeout: float = TIMEOUT,
) -> WeightsFile:
    """Download weights into the person's folder, unless they are on this computer already.

    The file grows as ``<file name>.partial``; a later call goes on where this one stopped. It gets
    its name only when its checksum is right, in one step, replacing a damaged file that had it.

    Parameters
    ----------
    entry : Weights
        What to fetch.
    folder : Path or str, optional
        The person's folder; see `weights_folder`.
    progress : callable, optional
        Called with the bytes that are there and those there will be (None where unknown).
    cancel : callable, optional
        Asked at every block whether to stop. A server that has fallen silent delays the answer by
        at most ``timeout``.
    timeout : float
        Seconds without a byte after which a connection counts as broken off.

    Raises
    ------
    EngineError
        If it would be of no use, because there is no torch to run it.
    FetchError
        If it cannot be fetched: the sentence says why and how to bring the file by hand.
    MissingWeightsError
        If it only comes with a package.
    WrongWeightsError
        If what the server sent has the wrong checksum; it is removed. Also if there is a damaged
        file that only comes with a package; it is left alone.
    Cancelled
        If ``cancel`` said so; what arrived is kept.
    OSError
        If the folder cannot be written.
    """
    target_folder = weights_folder(folder)
    finding = inspect(entry, target_folder, cancel=cancel)
    if finding.checksum is Checksum.RIGHT or not entry.url:
        return whole_file(finding, target_folder)
    network = NETWORKS.get(entry.name)
    if network is not None and network.needs_torch and not has_torch():
        raise without_torch(f"The network {entry.name}")
    check_url(entry.url)
    target_folder.mkdir(parents=True, exist_ok=True)
    partial = partial_path(entry, target_folder)
    try:
        with only_one(partial.with_name(partial.name + ".lock")):
            _complete(entry, partial, progress, cancel, timeout)
            target = target_folder / entry.file_name
            os.replace(partial, target)
            forget(partial)
    except Locked as error:
        raise not_fetched(entry, target_folder, "another process is fetching it") from error
    return WeightsFile(target, sha256_of(target), entry)


def _complete(
    entry: Weights,
    partial: Path,
    progress: Progress | None,
    cancel: Callable[[], bool] | None,
    timeout: float,
) -> None:
    """Bring the partial file to its end, over broken connections as long as each gains ground."""
    reason = ""
    for _ in range(ATTEMPTS):
        is_resumed = partial.exists()
        try:
            transfer(
                entry.url,
                partial,
                size=entry.size,
                timeout=timeout,
                progress=progress,
                cancel=cancel,
            )
        except Refused as error:
            raise not_fetched(entry, partial.parent, str(error)) from error
        except Interrupted as error:
            if not error.received:
                raise not_fetched(entry, partial.parent, str(error)) from error
            reason = str(error)
            continue
        digest = sha256_of(partial, afresh=True, cancel=cancel)
        if entry.matches(digest):
            return
        forget(partial)
        if not is_resumed:
            raise wrong_download(entry, partial.parent, digest)
        # What lay there did not belong to this file: the next attempt takes all of it afresh.
        reason = "what an earlier attempt left behind belongs to another file"
    raise not_fetched(entry, partial.parent, reason)
