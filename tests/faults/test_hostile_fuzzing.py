"""Some thousands of hostile files for every loader; ``make fuzz`` tries hundreds of thousands."""

import os

import pytest

from tests.fuzzing import running
from tests.fuzzing.__main__ import main
from tests.fuzzing.target import CORPUS, LOADED, kind_of
from tests.fuzzing.targets import NAMES, target_class

GROUP = "Hostile files"

SHARES = {
    "model": ("mutants of model files, most with a valid digest", 1500),
    "sealed": ("mutants of protected model files", 25),
    "app-model": ("mutants of model files, as the window opens them", 250),
    "settings": ("mutants of the settings file", 2000),
    "session": ("mutants of saved test sessions and reports", 1000),
    "preset": ("mutants of presets", 600),
    "list": ("mutants of dataset lists", 150),
    "weights": ("mutants of weights files", 150),
    "entry": ("mutants of evaluation cache entries", 600),
    "recovery": ("mutants of folders with unsaved takes", 500),
    "image": ("mutants of images", 400),
    "video": ("mutants of videos", 60),
}
"""What is attacked, and how often here."""

SEED = 1


@pytest.fixture
def target(request, tmp_path, monkeypatch):
    monkeypatch.setenv("LMKL_PAD_CONFIG", os.environ["LMKL_PAD_CONFIG"])  # targets set their own
    return target_class(request.param)(tmp_path)


ROWS = [
    pytest.param(name, inputs, id=name, marks=pytest.mark.fault(GROUP, what))
    for name, (what, inputs) in SHARES.items()
]


def test_that_every_target_is_tried_here():
    assert set(SHARES) == set(NAMES)


@pytest.mark.filterwarnings("ignore")  # torch tells of its own future
@pytest.mark.parametrize(("target", "inputs"), ROWS, indirect=["target"])
def test_that_mutants_are_refused_as_documented_or_work(target, inputs, attempt):
    outcomes = []
    for number in range(inputs):
        data = target.mutant(SEED, number)
        with attempt():
            outcomes.append(target.check(data))
    n_loaded = outcomes.count(LOADED)
    assert 0 < n_loaded < inputs, "mutants that all end at one check try nothing"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", NAMES, indirect=True)
def test_that_good_files_load_and_those_that_once_failed_are_survived(target):
    files = {path.name: path.read_bytes() for path in target.corpus()}
    assert set(target.good_files()) <= set(files)
    for name, data in files.items():
        reason = target.check(data)
        if not name.startswith("once-"):
            assert reason == LOADED, name


def test_that_the_corpus_is_small():
    assert sum(path.stat().st_size for path in CORPUS.rglob("*")) < 1 << 19


def test_that_an_input_is_the_same_for_the_same_numbers(tmp_path):
    target = target_class("preset")(tmp_path)
    assert target.mutant(3, 7) == target.mutant(3, 7) != target.mutant(4, 7)


# --- the command itself: what it must notice


def test_that_crashes_hangs_greed_and_stray_errors_are_found_and_the_rest_goes_on():
    tally = running.run("fragile", 9, 0, 2, lambda _: None, patience=2.0)
    assert (tally.inputs, tally.loaded, tally.refused) == (9, 2, 2)
    told = {failure.number: failure.what for failure in tally.failures}
    assert sorted(told) == [2, 3, 4, 5, 8]
    assert all("KeyError" in told[number] for number in (2, 8))
    assert "exit code -9" in told[3]
    assert "no end after 2 seconds" in told[4]
    assert "MemoryError" in told[5]


def test_that_the_command_keeps_what_failed_and_says_so_by_its_exit_code(tmp_path, capsys):
    kept = tmp_path / "failures"
    (tmp_path / "bad").write_bytes(b"raise")
    failing = main(["--target", "fragile", "--file", str(tmp_path / "bad")])
    assert failing == 1
    assert "KeyError" in capsys.readouterr().out
    assert main(["--target", "preset", "--inputs", "20", "--failures", str(kept)]) == 0
    out = capsys.readouterr().out
    assert "| preset | 20 |" in out
    assert not kept.exists()
    path = running.reproducer(kept, "preset", b"x = [")
    assert main(["--target", "preset", "--file", str(path)]) == 0
    assert "not TOML" in capsys.readouterr().out


def test_that_reasons_are_counted_without_the_values_of_a_file():
    assert kind_of("'a b' is 1e5 and not [1, 2]") == kind_of("'c' is -3 and not [7]")
