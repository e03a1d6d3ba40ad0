"""The benchmark ``real``: its file format, protocols and rates, on rendered recordings."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from app.cli.recorder import Recorder, TakeWanted
from app.demo.script import Take
from app.settings import Settings
from app.vision.pipeline import make_pipeline
from benchmarks import real, real_views
from lmkl_core import LocalisedMKL
from lmkl_core.features.presets import load_preset
from tools.recordings import write_recordings

PERSON = "P001"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Return a folder with videos and the file of their views."""
    root = tmp_path_factory.mktemp("recordings")
    takes = [Take(PERSON, seed=seed, n_frames=64) for seed in range(2)]
    takes.append(Take(PERSON, "print", seed=9, n_frames=64))
    write_recordings(root, takes)
    (root / "views").mkdir()
    real_views.main([str(root), str(root / "views" / "own.npz"), "--frames", "6"])
    return root


def test_that_the_file_holds_every_recording_and_no_picture(recorded):
    views = real_views.load(recorded / "views" / "own.npz")
    assert set(views.person) == {PERSON}
    assert set(views.label) == {"bonafide", "attack-print"}
    assert len(np.unique(views.recording)) == 3
    with np.load(recorded / "views" / "own.npz") as file:
        assert all(file[name].ndim <= 2 for name in file.files)


def test_that_the_benchmark_makes_the_same_views_as_the_app(recorded):
    views = real_views.load(recorded / "views" / "own.npz")
    preset = load_preset("texture")
    arrays = real.arrays_of(views, preset)
    pipeline = make_pipeline(preset)
    path = next((recorded / PERSON / "bonafide").iterdir())
    take = Recorder(pipeline, Settings(), n_frames=6).record(TakeWanted(str(path)))
    own = np.flatnonzero(views.take == path.stem)
    assert set(arrays) == set(preset.view_names)
    for name, array in arrays.items():
        expected = np.concatenate([sample.views[name] for sample in take.samples])
        assert np.allclose(array[own], expected, atol=2e-3)  # float16 in the file


def test_that_the_interval_of_equal_people_depends_on_their_number():
    # 1 - 0.025^(1/16): the largest share of people with errors that 16 without any allow
    assert real.interval(np.zeros(16)) == pytest.approx((0.0, 20.59), abs=0.01)
    assert real.interval(np.ones(16)) == pytest.approx((79.41, 100.0), abs=0.01)
    low, high = real.interval(np.repeat([0.0, 0.5], 8))
    assert 10 < low < 25 < high < 40


def test_that_the_tables_are_printed_for_own_recordings(recorded, capsys):
    real.main(["--views", str(recorded / "views"), "--preset", "tiny", "--only", "presets"])
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| tiny")]
    assert [row.split("|")[3].strip() for row in rows] == ["own, alt", "own, half"]
    area = float(rows[0].split("|")[5].split()[0])
    assert 0 <= area <= 1


def test_that_every_benchmark_can_be_imported():
    for path in Path(real.__file__).parent.glob("[a-z]*.py"):
        importlib.import_module(f"benchmarks.{path.stem}")


def views_of(takes, n=8):
    """Return rows of one person: ``n`` frames of every take and of one attack."""
    names = np.repeat([*takes, "print"], n)
    labels = np.where(names == "print", "attack-print", "bonafide")
    people = np.full(len(names), "ann")
    rng = np.random.default_rng(0)
    return real_views.RealViews(
        "made", people, labels, names, None, {"v": rng.random((len(names), 4))}
    )


LIGHTS = ("lamp_1", "lamp_2", "window_1", "window_2")


@pytest.mark.parametrize(
    ("protocol", "enrolled", "tested"),
    [
        ("alt", [{"lamp_1", "window_1"}], [{"lamp_2", "window_2"}]),
        ("half", [set(LIGHTS)], [set(LIGHTS)]),
        ("same light", [{"lamp_1", "window_1"}], [{"lamp_2", "window_2"}]),
        ("new light", [{"window_1", "window_2"}], [{"lamp_1", "lamp_2"}]),
        ("one take", [{"lamp_1"}, {"window_1"}], [{"lamp_2"}, {"window_2"}]),
    ],
)
def test_that_protocols_enrol_and_test_the_takes_that_they_name(protocol, enrolled, tested):
    views = views_of(LIGHTS)
    found = list(real.trials(views, protocol))
    assert [set(views.take[trial.enrolled]) for trial in found] == enrolled
    assert [set(views.take[trial.genuine]) for trial in found] == tested
    for trial in found:
        assert not set(trial.enrolled) & set(trial.genuine)
        assert set(views.label[trial.attacks]) == {"attack-print"}


def test_that_windows_have_5_to_15_frames_of_one_recording():
    scores = np.arange(40.0)
    recordings = np.repeat(["a", "b", "c"], [32, 5, 3])
    assert real.windows(scores, recordings).tolist() == [7.0, 22.0, 34.0]


def test_that_rates_are_means_over_people_at_the_rules_threshold():
    model = LocalisedMKL()
    scored = [
        real.Scored(name, model, np.array(genuine), np.array(attacks), *[np.ones(0)] * 2)
        for name, genuine, attacks in (
            ("a", [1.0, 0.2], [0.1, 0.9, 0.1, 0.1]),
            ("b", [1.0, 0.8], [0.1, 0.1]),
        )
    ]
    people, area, apcer, bpcer, *by_window = real.cells(scored, lambda model: 0.5)
    assert people == "2"
    assert area == "0.9375 (0.875)"
    assert (apcer[:5], apcer[-4:]) == ("12.50", "(25)")
    assert (bpcer[:5], bpcer[-4:]) == ("25.00", "(50)")
    assert by_window == ["-", "-"]


def test_that_methods_are_compared_where_one_percent_of_attacks_is_accepted(recorded, capsys):
    attacks = np.linspace(0, 0.5, 201)
    result = real.Scored("a", None, np.array([0.496, 0.6]), attacks, *[np.ones(0)] * 2)
    assert real.separation([result]) == "0.9950; 0.0"
    result = real.Scored("a", None, np.array([0.494, 0.6]), attacks, *[np.ones(0)] * 2)
    assert real.separation([result]).endswith("; 50.0")
    real.main(["--views", str(recorded / "views"), "--preset", "tiny", "--only", "methods"])
    assert "| Localised MKL | " in capsys.readouterr().out
