"""The catalogue of weights, compared with networks and installed packages."""

import hashlib
import re
from pathlib import Path

import pytest

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.networks.registry import NETWORKS
from lmkl_core.features.weights.catalogue import CATALOGUE, entry_of, weights_names
from lmkl_core.features.weights.store import Place, inspect


def test_that_every_entry_is_complete_and_agrees_with_the_digits_of_its_file_name():
    for entry in CATALOGUE:
        assert re.fullmatch(r"[0-9a-f]{8}|[0-9a-f]{64}", entry.sha256)
        assert entry.what
        assert entry.licence in {"MIT", "BSD-3-Clause", "Apache-2.0"}
        assert bool(entry.url) != (entry.package is not None)
        if entry.url:
            assert entry.url.startswith("https://")
            assert entry.url.endswith("/" + entry.file_name)
        assert Path(entry.file_name).name == entry.file_name
        if digits := re.search(r"-([0-9a-f]{8})\.pth$", entry.file_name):
            assert entry.sha256.startswith(digits[1])
    for values in zip(*((e.name, e.file_name, e.sha256[:8]) for e in CATALOGUE), strict=True):
        assert len(set(values)) == len(values)

    assert set(NETWORKS) <= set(weights_names())


def test_that_packaged_weights_are_found_intact(tmp_path, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path))
    (entry,) = (entry for entry in CATALOGUE if entry.package is not None)
    finding = inspect(entry, tmp_path)
    assert finding.place is Place.PACKAGE
    assert finding.size == entry.size
    assert finding.sha256 == hashlib.sha256(finding.path.read_bytes()).hexdigest() == entry.sha256


def test_that_an_unknown_name_is_refused_with_the_closest_one():
    with pytest.raises(InvalidInputError, match=r"did you mean 'resnet50'\?"):
        entry_of("resnet5")
