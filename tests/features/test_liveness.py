"""The probability that a face is live: missing and damaged files, and the real networks."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lmkl_core.features.engines.cache import Cache
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.liveness import LIVENESS, LivenessMeter
from lmkl_core.features.weights import MissingWeightsError, WrongWeightsError, catalogue
from tests.features.minifasnet_weights import FILES, random_weights_finder, small_widths

REAL = "MINIFASNET_FILES"
# Norm of the embedding, its first values and the probability, computed by another program from the
# published files.
EXPECTED = {
    "head/minifasnet-v2": (1.72412, [0.0332728, -0.2253007, 0.0427090], 0.1643933),
    "scene/minifasnet-v1se": (2.07190, [-0.3163427, -0.2372249, 0.0752465], 0.7649938),
}

BOTH_LAYERS = replace(
    LIVENESS,
    branches=tuple(replace(each, layers=("embedding", "live")) for each in LIVENESS.branches),
)


def generated_crops():
    """Return smooth crops with grain, always the same."""
    y, x = np.mgrid[:80, :80]
    waves = [127 + 90 * np.sin(x / a) * np.cos(y / b) for a, b in ((9, 13), (11, 17), (7, 23))]
    picture = np.stack(waves, axis=2) + ((3 * x + 5 * y) % 7)[..., None]
    return {
        "head": picture.round().astype(np.uint8),
        "scene": picture[::-1].round().astype(np.uint8),
    }


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """Return a ``find`` for files of small networks."""
    return random_weights_finder(tmp_path_factory.mktemp("weights"), small_widths)


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    return Cache(tmp_path_factory.mktemp("cache"))


def test_that_the_probability_is_the_larger_of_both_networks(weights, graphs):
    extractor = Extractor(LIVENESS, find=weights, cache=graphs)
    meter, crops = LivenessMeter(extractor), generated_crops()
    first, second = (rows[0, 1] for rows in extractor(crops).values())
    assert meter(crops) == pytest.approx(max(first, second))
    assert 0 < meter(crops) < 1
    boxes = [(crop.of, crop.scale, crop.size) for crop in meter.crops]
    assert boxes == [("box", 2.7, 80), ("box", 4.0, 80)]


def test_that_there_is_no_meter_without_both_files_and_damaged_files_are_refused(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("LMKL_PAD_CACHE", str(tmp_path / "cache"))
    with pytest.raises(MissingWeightsError, match="minifasnet-v2"):
        Extractor(LIVENESS, folder=tmp_path)
    for name in FILES.values():
        assert LivenessMeter.find(tmp_path) is None
        (tmp_path / name).write_bytes(b"half a download")
    with pytest.raises(WrongWeightsError):
        LivenessMeter.find(tmp_path)


def test_that_a_meter_finds_its_files(weights, graphs, monkeypatch):
    files = {name: weights(name) for name in FILES}
    entries = [replace(catalogue.entry_of(n), sha256=file.sha256) for n, file in files.items()]
    monkeypatch.setattr(catalogue, "CATALOGUE", tuple(entries))
    monkeypatch.setenv("LMKL_PAD_CACHE", str(graphs.folder))
    meter = LivenessMeter.find(files["minifasnet-v2"].path.parent)
    assert 0 < meter(generated_crops()) < 1


@pytest.mark.skipif(REAL not in os.environ, reason=f"{REAL} names no folder with the real files")
def test_that_the_real_networks_agree_with_another_program(graphs):
    folder = Path(os.environ[REAL])
    views = Extractor(BOTH_LAYERS, folder=folder, cache=graphs)(generated_crops())
    for name, (norm, first, live) in EXPECTED.items():
        embedding, probabilities = (views[f"{name}.{layer}"][0] for layer in ("embedding", "live"))
        assert np.linalg.norm(embedding) == pytest.approx(norm, rel=1e-4)
        assert embedding[:3] == pytest.approx(first, rel=1e-3, abs=1e-4)
        assert probabilities[1] == pytest.approx(live, rel=1e-3, abs=1e-6)
