"""Some thousands of hostile files for every loader; ``make fuzz`` tries hundreds of thousands."""

import os

import pytest
from hypothesis import HealthCheck, given, settings

from tools.fuzzing.target import LOADED
from tools.fuzzing.targets import NAMES, make_target

GROUP = "Hostile files"

SHARES = {
    "model": ("mutants of model files, most with a valid digest", 800),
    "sealed": ("mutants of protected model files", 25),
    "app-model": ("mutants of model files, opened by the window", 120),
    "settings": ("mutants of the settings file", 300),
    "session": ("mutants of saved test sessions and reports", 200),
    "preset": ("mutants of presets", 300),
    "list": ("mutants of dataset lists", 60),
    "weights": ("mutants of weights files", 150),
    "entry": ("mutants of evaluation cache entries", 250),
    "recovery": ("mutants of folders with unsaved takes", 250),
    "image": ("mutants of images", 200),
    "video": ("mutants of videos", 60),
}
"""The description of each target and its number of inputs here."""


@pytest.fixture
def target(request, tmp_path, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_CONFIG", os.environ["LMKL_PAD_CONFIG"])  # targets set their own
    return make_target(request.param, tmp_path)


ROWS = [
    pytest.param(name, SHARES[name][1], id=name, marks=pytest.mark.fault(GROUP, SHARES[name][0]))
    for name in NAMES
]


@pytest.mark.filterwarnings("ignore")  # deprecations in torch
@pytest.mark.parametrize(("target", "inputs"), ROWS, indirect=["target"])
def test_that_mutants_load_and_work_or_are_refused_as_documented(target, inputs, attempt):
    outcomes = []

    @settings(max_examples=inputs, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=target.mutants())
    def try_one(data):
        with attempt():
            outcomes.append(target.check(data))

    try_one()
    n_loaded = outcomes.count(LOADED)
    assert n_loaded < len(outcomes)
    assert n_loaded or inputs < 50, "no mutant gets past the checks"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", NAMES, indirect=True)
def test_that_good_files_load_and_past_failures_are_survived(target):
    for path in target.corpus():
        reason = target.check(path.read_bytes())
        if not path.name.startswith("once-"):
            assert reason == LOADED, path.name
