"""What earlier runs have left may be damaged or hostile: it is told, and never an exception."""

import json
import os
import random
from datetime import UTC, datetime

import numpy as np
import pytest

from app.session.recovery.finding import find, load
from app.session.recovery.index import LARGEST_INDEX, _digest
from app.session.recovery.journal import Journal
from app.session.recovery.runs import takes_folder
from app.session.recovery.wording import fits, offer_of, outcome_of
from tests.app.session.recovery.takes_material import FEATURES, takes

POSIX = pytest.mark.skipif(os.name != "posix", reason="links and pipes are POSIX's")


@pytest.fixture
def folder(journal):
    """Return the folder that a run has left: seven frames in three files."""
    samples = takes(7, "window")
    for n in (4, 6, 7):
        journal.keep(samples[:n], FEATURES)
    journal.close()
    (folder,) = (path for path in takes_folder().iterdir() if path.is_dir())
    assert len(list(folder.glob("*.safetensors"))) == 3
    return folder


def found_here():
    (found,) = find()
    found.run.release()
    return found


def changed(folder, **values):
    """Write an index with other values, and a digest that fits them."""
    document = json.loads((folder / "index.json").read_text())
    del document["digest"]
    document.update(values)
    document["digest"] = _digest(document)
    (folder / "index.json").write_text(json.dumps(document))


@pytest.mark.fault("Process and disk", "damaged or hostile index of unsaved takes")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"format": "lmkl-pad unsaved takes"}',
        "[" * 100_000,
        '{"version": 1' + "0" * 5000 + "}",
        '{"format": NaN}',
        "\ufeff{}",
    ],
    ids=lambda text: repr(text[:20]),
)
def test_that_an_index_that_is_none_is_told(folder, text):
    (folder / "index.json").write_text(text, encoding="utf-8")
    found = found_here()
    assert found.index is None
    assert offer_of(found, FEATURES).startswith(
        "Takes of an earlier run were not saved, and cannot"
    )
    assert load(found).samples == ()


@pytest.mark.fault("Process and disk", "damaged or hostile index of unsaved takes")
@pytest.mark.parametrize(
    "values",
    [
        {"version": 1},
        {"version": 3},
        {"takes": "window"},
        {"takes": ["x" * 5000]},
        {"persons": "Ann"},
        {"persons": ["Ann"] * 9},
        {"persons": ["Ann\n", "Ben"]},
        {"rows": [[0, 0, 99]]},
        {"rows": [[0, 9, 0]]},
        {"rows": [[-1, 0, 0]]},
        {"rows": [[0, 0, 0], [0, 0, 0]]},
        {"rows": [[0, 0]]},
        {"rows": [[0, 0, 0, 0]]},
        {"rows": []},
        {"rows": [[0.5, 0, 0]]},
        {"rows": {"0": 1}},
        {"chunks": [["../../x", "0" * 64, 1]]},
        {"chunks": [[-1, "0" * 64, 1]]},
        {"chunks": [[0, "nonsense", 1]]},
        {"chunks": [[0, "0" * 64, 10**9]]},
        {"features": []},
        {"written": "yesterday"},
        {"written": "2026-01-01T00:00:00"},
        {"written": "0001-01-01T00:00:00+23:59"},
        {"written": "9999-12-31T23:59:59-23:59"},
        {"more": 1},
    ],
    ids=str,
)
def test_that_an_index_that_makes_no_sense_is_told(folder, values):
    changed(folder, **values)
    found = found_here()
    assert found.index is None
    assert found.problem
    assert "\n" not in offer_of(found, FEATURES)


def test_that_an_index_that_was_changed_by_hand_is_told(folder):
    text = (folder / "index.json").read_text()
    (folder / "index.json").write_text(text.replace("window", "widnow"))
    assert "digest" in found_here().problem


def test_that_an_index_that_is_too_large_is_not_read(folder):
    with open(folder / "index.json", "r+b") as stream:
        stream.truncate(LARGEST_INDEX + 1)
    assert "exceed" in found_here().problem


@POSIX
def test_that_a_pipe_in_the_place_of_the_index_does_not_make_anybody_wait(folder):
    (folder / "index.json").unlink()
    os.mkfifo(folder / "index.json")
    assert "not a file of its own" in found_here().problem


@POSIX
def test_that_a_link_to_another_folder_is_not_followed(own_data, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious.txt").write_text("mine")
    takes_folder().mkdir(parents=True)
    (takes_folder() / "run").symlink_to(tmp_path / "elsewhere")
    assert find() == []
    assert (tmp_path / "elsewhere" / "precious.txt").exists()


def test_that_a_folder_in_which_nothing_was_kept_yet_is_removed(folder):
    (folder / "index.json").unlink()
    assert find() == []
    assert list(takes_folder().iterdir()) == []


def test_that_what_is_no_folder_of_a_run_is_left_alone(own_data):
    takes_folder().mkdir(parents=True)
    (takes_folder() / "note.txt").write_text("mine")
    (takes_folder() / "of somebody else").mkdir()
    assert find() == []
    assert (takes_folder() / "note.txt").exists()
    assert (takes_folder() / "of somebody else").exists()


# ------------------------------------------------------------- files of frames


@pytest.mark.fault("Process and disk", "damaged file of unsaved takes: the others come back")
def test_that_of_damaged_files_the_others_are_brought_back(folder, attempt):
    names = sorted(path.name for path in folder.glob("*.safetensors"))
    kinds = {
        "gone": lambda path, _: path.unlink(),
        "empty": lambda path, _: path.write_bytes(b""),
        "cut": lambda path, data: path.write_bytes(data[: len(data) // 2]),
        "longer": lambda path, data: path.write_bytes(data + b"\0"),
        "a bit": lambda path, data: path.write_bytes(data[:-9] + b"\x01" + data[-8:]),
        "another": lambda path, _: path.write_bytes((folder / names[-1]).read_bytes()),
        "a folder": lambda path, _: (path.unlink(), path.mkdir()),
    }
    data = (folder / names[0]).read_bytes()
    for damage in kinds.values():
        damage(folder / names[0], data)
        with attempt():
            recovered = load(found_here())
            assert [sample.number for sample in recovered.samples] == [4, 5, 6]
            assert recovered.n_damaged == 4
            assert "4 frames were damaged and left out" in outcome_of(recovered)
        if (folder / names[0]).is_dir():
            (folder / names[0]).rmdir()
        (folder / names[0]).write_bytes(data)
    assert len(load(found_here()).samples) == 7


@pytest.mark.fault("Process and disk", "random bytes in files of unsaved takes", keeps="crashes")
def test_that_random_changes_never_raise_and_never_give_what_was_not_recorded(folder, attempt):
    rng, originals = random.Random(6), {path: path.read_bytes() for path in folder.iterdir()}
    genuine = {s.views["eyes/net"].tobytes() for s in load(found_here()).samples}
    for _ in range(200):
        path = rng.choice(sorted(originals))
        data = bytearray(originals[path])
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        with attempt():
            recovered = load(found_here())
            assert {s.views["eyes/net"].tobytes() for s in recovered.samples} <= genuine
            assert all(np.isfinite(v).all() for s in recovered.samples for v in s.views.values())
        path.write_bytes(originals[path])


def test_that_files_of_other_views_do_not_mix(folder, monkeypatch):
    other = Journal()
    other.keep(takes(2, "window", columns=9), FEATURES)
    other.close()
    theirs = next(path for path in takes_folder().iterdir() if path.is_dir() and path != folder)
    index = json.loads((theirs / "index.json").read_text())
    chunk = index["chunks"][0]
    (folder / f"{chunk[0] + 90}.safetensors").write_bytes((theirs / "0.safetensors").read_bytes())
    mine = json.loads((folder / "index.json").read_text())
    changed(
        folder,
        chunks=[*mine["chunks"], [chunk[0] + 90, *chunk[1:]]],
        rows=[*mine["rows"], [0, 3, 0], [0, 3, 1]],
    )
    for path in sorted(theirs.iterdir()):
        path.unlink()
    recovered = load(found_here())
    assert len(recovered.samples) == 7
    assert recovered.n_damaged == 2


# ------------------------------------------------------------- words


def test_that_the_person_is_told_when_and_how_much(folder):
    found = found_here()
    when = found.index.written.astimezone()
    now = datetime(when.year, 6, 1, tzinfo=UTC)
    assert offer_of(found, FEATURES, now) == (
        f"The program ended unexpectedly on {when.day} {when:%B} at {when:%H:%M} with 1 take "
        "(7 frames) not saved."
    )
    later = datetime(when.year + 1, 6, 1, tzinfo=UTC)
    assert f"{when:%B %Y} at" in offer_of(found, FEATURES, later)


def test_that_takes_of_other_views_say_which(folder):
    found = found_here()
    others = {**FEATURES, "preset": {"name": "tiny"}}
    assert fits(found, FEATURES)
    assert not fits(found, others)
    assert offer_of(found, others).endswith(
        "They are of the views 'texture', not of those in use: choose the former in the settings."
    )


def test_that_takes_of_views_that_have_changed_say_so(folder):
    changed = {**FEATURES, "weights": {"efficientnet-lite0": "0" * 64}}
    told = offer_of(found_here(), changed)
    assert told.endswith("The views 'texture' have changed since: record them again.")


def test_that_two_runs_are_found_newest_first(folder):
    other = Journal()
    other.keep(takes(1, "lamp"), FEATURES)
    other.close()
    newest = max(path.name for path in takes_folder().iterdir() if path.is_dir())
    found = find()
    for one in found:
        one.run.release()
    assert len(found) == 2
    assert found[0].run.name == newest
