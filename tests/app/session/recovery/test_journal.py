"""The journal: what is on disk follows the takes, file by file."""

import os
import stat
from dataclasses import replace

import pytest

from app.session.recovery.chunks import MOST_ROWS
from app.session.recovery.journal import Journal
from app.session.recovery.runs import takes_folder
from tests.app.session.recovery.takes_material import FEATURES, left, nothing_is_left, same, takes


def run_folder():
    (folder,) = (path for path in takes_folder().iterdir() if path.is_dir())
    return folder


def chunks():
    return sorted(path.name for path in run_folder().glob("*.safetensors"))


def test_that_without_takes_nothing_is_written(journal, own_data):
    journal.keep((), FEATURES)
    assert not own_data.exists()


def test_that_kept_takes_are_there_after_the_end(journal):
    samples = takes(7, "window", "lamp")
    journal.keep(samples, FEATURES)
    journal.close()
    assert same(left(), samples)


def test_that_takes_are_whose_they_were(journal):
    first, second = takes(3, "window", "lamp"), takes(3, "door", first=6)
    samples = (*first, *(replace(sample, person="Ann") for sample in second))
    journal.keep(samples, FEATURES)
    given = tuple(replace(sample, person="Ben") for sample in samples)
    journal.keep(given, FEATURES)
    journal.keep(samples, FEATURES)
    journal.close()
    assert same(left(), samples)


def test_that_a_living_run_is_not_offered(journal):
    journal.keep(takes(3, "window"), FEATURES)
    assert nothing_is_left()


def test_that_frames_are_added_one_by_one_into_few_files(journal):
    samples = takes(70, "window")
    for n in range(1, 71):
        journal.keep(samples[:n], FEATURES)
    assert len(chunks()) <= 8
    journal.close()
    assert same(left(), samples)


def test_that_what_did_not_change_is_not_written_again(journal):
    samples = takes(8, "window")
    journal.keep(samples, FEATURES)
    before = {path: path.stat().st_mtime_ns for path in run_folder().iterdir()}
    journal.keep(samples, FEATURES)
    assert {path: path.stat().st_mtime_ns for path in run_folder().iterdir()} == before


def test_that_old_files_stay_as_they_are_when_a_frame_comes(journal):
    samples = takes(9, "window")
    journal.keep(samples[:8], FEATURES)
    (first,) = chunks()
    before = (run_folder() / first).stat().st_mtime_ns
    journal.keep(samples, FEATURES)
    assert (run_folder() / first).stat().st_mtime_ns == before
    assert len(chunks()) == 2


def test_that_a_struck_frame_leaves_the_disk(journal):
    samples = takes(6, "window")
    journal.keep(samples, FEATURES)
    struck = samples[2].views["eyes/net"].tobytes()
    assert any(struck in path.read_bytes() for path in run_folder().glob("*.safetensors"))
    journal.keep((*samples[:2], *samples[3:]), FEATURES)
    assert not any(struck in path.read_bytes() for path in run_folder().iterdir())
    journal.close()
    assert same(left(), (*samples[:2], *samples[3:]))


def test_that_undoing_it_brings_the_frame_back(journal):
    samples = takes(6, "window")
    for state in (samples, samples[:3], samples):
        journal.keep(state, FEATURES)
    journal.close()
    assert same(left(), samples)


def test_that_another_name_of_a_take_rewrites_the_index_alone(journal):
    samples = takes(6, "window")
    journal.keep(samples, FEATURES)
    before = chunks()
    renamed = tuple(replace(sample, take="Fenster \N{SNOWMAN}") for sample in samples)
    journal.keep(renamed, FEATURES)
    assert chunks() == before
    journal.close()
    assert {sample.take for sample in left()} == {"Fenster \N{SNOWMAN}"}


def test_that_another_frame_of_the_same_number_is_written(journal):
    journal.keep(takes(3, "window"), FEATURES)
    others = tuple(replace(s, number=s.number - 100) for s in takes(3, "window", first=100))
    journal.keep(others, FEATURES)
    journal.close()
    assert same(left(), others)


def test_that_more_frames_than_a_file_holds_are_spread_over_several(journal):
    samples = takes(MOST_ROWS + 5, "window", columns=2)
    journal.keep(samples, FEATURES)
    assert len(chunks()) == 2
    journal.close()
    assert same(left(), samples)


def test_that_a_frame_without_circumstances_comes_back_without_them(journal):
    samples = tuple(replace(sample, condition=None) for sample in takes(3, "window"))
    journal.keep(samples, FEATURES)
    journal.close()
    assert [sample.condition for sample in left()] == [None] * 3


def test_that_no_picture_is_written(journal):
    samples = takes(3, "window")
    for sample in samples:
        sample.thumbnail[:] = 77
    journal.keep(samples, FEATURES)
    assert not any(b"\x4d" * 64 in path.read_bytes() for path in run_folder().iterdir())
    journal.close()
    assert [sample.thumbnail for sample in left()] == [None] * 3


@pytest.mark.parametrize("end", [lambda one: one.keep((), FEATURES), Journal.discard])
def test_that_takes_that_are_saved_or_deleted_leave_nothing(journal, end):
    journal.keep(takes(3, "window"), FEATURES)
    end(journal)
    assert list(takes_folder().iterdir()) == []
    journal.keep(takes(3, "lamp"), FEATURES)  # and it goes on
    journal.close()
    assert {sample.take for sample in left()} == {"lamp"}


@pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")
def test_that_everything_is_for_its_owner_only(journal):
    journal.keep(takes(3, "window"), FEATURES)
    for path in takes_folder().rglob("*"):
        allowed = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == allowed, path
    assert stat.S_IMODE(takes_folder().stat().st_mode) == 0o700


def test_that_takes_that_were_brought_back_are_kept_once(journal):
    samples = takes(3, "window")
    journal.keep(samples, FEATURES)
    journal.close()
    from app.session.recovery.finding import find, load

    (found,) = find()
    again = Journal()
    back = load(found).samples
    again.replace(found.run)
    assert found.run.folder.is_dir()  # until they are kept anew
    again.keep(back, FEATURES)
    assert not found.run.folder.exists()
    again.close()
    assert same(left(), samples)


def test_that_a_folder_that_was_brought_back_but_not_removed_yet_is_not_offered_again(journal):
    from app.session.recovery.finding import find, load

    journal.keep(takes(3, "window"), FEATURES)
    journal.close()
    (found,) = find()
    again = Journal()
    again.replace(found.run)
    found.run.remove = lambda: None  # killed before it was removed
    again.keep(load(found).samples, FEATURES)
    again.close()
    found.run.release()
    assert len(list(takes_folder().glob("*/"))) == 2
    assert len(left()) == 3
    assert len(list(takes_folder().glob("*/"))) == 1


def test_that_tries_that_fail_leave_no_files_behind(journal):
    """On a disk that is nearly full each frame once left one more."""
    journal.keep(takes(2, "window"), FEATURES)
    (index,) = takes_folder().glob("*/index.json")
    before = sorted(index.parent.iterdir())
    index.unlink()
    index.mkdir()  # no file can take its place
    for n in (3, 4, 5):
        with pytest.raises(OSError, match="directory"):
            journal.keep(takes(n, "window"), FEATURES)
    assert sorted(index.parent.iterdir()) == before
    index.rmdir()
    journal.keep(takes(5, "window"), FEATURES)
    journal.close()
    assert same(left(), takes(5, "window"))
