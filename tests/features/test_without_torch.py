"""What works where torch is not installed, and what says that it needs it."""

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
    """Where torch is installed, be as if it were not."""
    monkeypatch.setattr(engine, "find_spec", lambda name: None)


def some_weights(folder):
    """Return a ``find`` that makes the liveness networks' weights."""
    made = random_weights_finder(folder, small_widths)
    return lambda name, place=None: find(name) if name == "efficientnet-lite0" else made(name)


@pytest.mark.parametrize("preset", ["texture", "tiny", "liveness"])
def test_that_the_offline_presets_run(preset, tmp_path):
    chosen = load_preset(preset)
    extractor = Extractor(chosen, cache=tmp_path, find=some_weights(tmp_path))
    assert extractor.engine_names == ("onnxruntime",)
    assert extractor.notes == ()
    views = extractor(crops_for(chosen, 2))
    assert tuple(views) == extractor.view_names
    for rows in views.values():
        assert np.linalg.norm(rows, axis=1) == pytest.approx(1, rel=1e-4)


def one_sentence_with_the_way_out(error):
    text = str(error.value)
    assert text.count(". ") == 0
    assert text.endswith(".")
    assert INSTALL_TORCH in text
    return text


@pytest.mark.parametrize("preset", ["paper-pad", "paper-objects"])
def test_that_the_papers_presets_say_what_they_need(preset, tmp_path):
    with pytest.raises(EngineError) as error:
        Extractor(load_preset(preset), cache=tmp_path)
    assert preset in one_sentence_with_the_way_out(error)


def test_that_the_engine_torch_cannot_be_chosen(tmp_path):
    with pytest.raises(EngineError) as error:
        Extractor(load_preset("tiny"), cache=tmp_path, engine="torch")
    one_sentence_with_the_way_out(error)


def test_that_where_onnxruntime_fails_nothing_takes_its_place(tmp_path):
    cache = Cache(tmp_path)
    Extractor(load_preset("tiny"), cache=cache)
    for group in plan(load_preset("tiny")):
        sha256 = entry_of(group.source.network).sha256
        key = probe_key("onnxruntime", group.source.key(sha256))
        problem = "it was ended by SIGILL"
        cache.remember(Probe(key, "onnxruntime", group.source.label, problem))
    with pytest.raises(EngineError) as error:
        Extractor(load_preset("tiny"), cache=cache)
    assert "it was ended by SIGILL" in one_sentence_with_the_way_out(error)


def test_that_weights_that_would_be_of_no_use_are_not_fetched(tmp_path):
    with pytest.raises(EngineError) as error:
        fetch(entry_of("resnet50"), tmp_path / "weights")
    assert "resnet50" in one_sentence_with_the_way_out(error)
    assert not (tmp_path / "weights").exists()


def test_that_the_doctor_names_torch_where_it_would_help():
    findings = list(doctor._weights("paper-pad"))
    needed = {found: told[-1] for state, found, *told in findings if state is doctor.State.BAD}
    assert {found.partition(":")[0] for found in needed} == {"resnet50", "googlenet", "vgg16"}
    assert all(INSTALL_TORCH in advice for advice in needed.values())
