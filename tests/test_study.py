"""The study of views on somebody's own recordings: the layout it reads, and what it refuses."""

import numpy as np
import pytest

from app.demo_video import Take, write_recordings
from benchmarks.candidates import SETS, View
from benchmarks.presets import Study
from benchmarks.study_material import gather, pipeline_for, recorded
from lmkl_core.features.presets import load_preset

PERSON = "P001"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a tree of real videos: three genuine takes and a print, two frames looked at each."""
    root = tmp_path_factory.mktemp("recordings")
    takes = [Take(PERSON, seed=seed, n_frames=16) for seed in range(3)]
    takes.append(Take(PERSON, "attack", "print", seed=9, n_frames=16))
    write_recordings(root, takes)
    return root


def test_that_takes_are_split_whole_and_species_come_from_the_folders(folder):
    recordings = list(recorded(folder))
    assert [r.role for r in recordings] == ["enrol", "enrol", "genuine", "attack"]
    assert [r.species for r in recordings] == ["bonafide"] * 3 + ["print"]
    assert {r.subject for r in recordings} == {PERSON}


def test_that_own_recordings_give_a_line_without_other_days_and_conditions(folder, capsys):
    material = gather(folder, 0, 2, pipeline_for({"none": load_preset("tiny")}))
    assert len(material.takes) == 8
    name = next(iter(material.features))
    material.features["none:face/efficientnet-lite0.block2"] = material.features[name]
    capsys.readouterr()
    Study(material).line("one", [View("face", "efficientnet-lite0", "block2", "std")], 1.0)
    cells = capsys.readouterr().out.split("|")
    assert [cell.strip() for cell in cells[5:7]] == ["-", "-"]
    assert 0 <= float(cells[4].split()[0]) <= 1


@pytest.mark.parametrize(
    ("folders", "sentence"),
    [
        ((), "holds no folders of subjects"),
        (("ann",), "needs two takes"),
        (("ann/bonafide/1", "ann/bonafide/2"), "needs attacks"),
    ],
)
def test_that_a_tree_that_is_not_in_the_layout_is_refused_in_a_sentence(
    tmp_path, folders, sentence
):
    for name in folders:
        (tmp_path / name).mkdir(parents=True)
    with pytest.raises(SystemExit, match=sentence):
        list(recorded(tmp_path))


def test_that_the_set_called_texture_is_the_default_preset():
    chosen = next(views for name, views in SETS.items() if name.endswith("(texture)"))
    found = {f"{view.crop}/{view.network}.{view.layer}" for view in chosen}
    preset = load_preset("texture")
    assert found == set(preset.view_names)
    for part in ("pooling", "normalisation"):
        in_preset = {getattr(branch, part) for branch in preset.branches}
        assert {getattr(view, part) for view in chosen} == in_preset
    assert np.all([view.photometry == "none" for view in chosen])
