"""What works without torch, and what reports that it needs torch."""

import re

import numpy as np
import pytest

from app.cli import doctor
from lmkl_core.features.engines import engine
from lmkl_core.features.engines.cache import Cache, Probe
from lmkl_core.features.engines.engine import INSTALL_TORCH, EngineError
from lmkl_core.features.engines.probe import probe_key
from lmkl_core.features.extractor import Extractor, plan
from lmkl_core.features.presets import load_preset
from lmkl_core.features.weights import entry_of, fetch, find
from tests.features.minifasnet_weights import random_weights_finder, small_widths
from tests.features.small_preset import crops_for

pytestmark = pytest.mark.light


@pytest.fixture(autouse=True)
def _no_torch(monkeypatch):
    """Hide torch if it is installed."""
    monkeypatch.setattr(engine, "find_spec", lambda name: None)


@pytest.mark.parametrize("preset", ["texture", "tiny", "liveness"])
def test_that_the_offline_presets_run(preset, tmp_path):
    chosen, random_weights = load_preset(preset), random_weights_finder(tmp_path, small_widths)
    extractor = Extractor(
        chosen,
        cache=tmp_path,
        find=lambda name, _: (find if name == "efficientnet-lite0" else random_weights)(name),
    )
    assert extractor.engine_names == ("onnxruntime",)
    assert extractor.notes == ()
    views = extractor(crops_for(chosen, 2))
    assert tuple(views) == extractor.view_names
    for rows in views.values():
        assert np.linalg.norm(rows, axis=1) == pytest.approx(1, rel=1e-4)


def needs_torch(name):
    """Expect the error that names something and the way to install torch."""
    return pytest.raises(EngineError, match=f"{name}.*{re.escape(INSTALL_TORCH)}")


def test_that_the_papers_presets_and_the_engine_torch_cannot_be_used(tmp_path):
    for preset, engine_name in (
        ("paper-pad", "auto"),
        ("paper-objects", "auto"),
        ("tiny", "torch"),
    ):
        with needs_torch("efficientnet" if preset == "tiny" else preset):
            Extractor(load_preset(preset), cache=tmp_path, engine=engine_name)


def test_that_nothing_replaces_onnxruntime_if_it_fails(tmp_path):
    cache = Cache(tmp_path)
    Extractor(load_preset("tiny"), cache=cache)
    for group in plan(load_preset("tiny")):
        sha256 = entry_of(group.source.network).sha256
        key = probe_key("onnxruntime", group.source.key(sha256))
        problem = "it was killed by SIGILL"
        cache.remember(Probe(key, "onnxruntime", group.source.label, problem))
    with needs_torch("SIGILL"):
        Extractor(load_preset("tiny"), cache=cache)


def test_that_unusable_weights_are_not_fetched(tmp_path):
    with needs_torch("resnet50"):
        fetch(entry_of("resnet50"), tmp_path / "weights")
    assert not (tmp_path / "weights").exists()


def test_that_the_doctor_advises_to_install_torch():
    findings = list(doctor._weights("paper-pad"))
    advice = {found: rest[-1] for state, found, *rest in findings if state is doctor.State.BAD}
    assert {found.partition(":")[0] for found in advice} == {"resnet50", "googlenet", "vgg16"}
    assert all(INSTALL_TORCH in sentence for sentence in advice.values())
