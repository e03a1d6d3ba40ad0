"""Test sessions on disk."""

import json

import pytest

from app import storage
from app.session.guided_test.details import Details
from app.session.guided_test.guided_test import GuidedTest
from app.session.guided_test.keeping import KeptSession, kept_tests, open_kept
from app.session.guided_test.plans import plan_from
from app.session.guided_test.presentation import GuidedTestError
from app.types import BONA_FIDE
from tests.app.guided_tests import present, session


@pytest.fixture
def guided_test():
    guided_test = session(2, 2)
    guided_test.plan = plan_from({"name": "Mine", "bona_fide": 5})
    guided_test.details = Details({"tester": "Ann"})
    return guided_test


def put_away(guided_test):
    kept = KeptSession.begin()
    kept.keep(guided_test)
    kept.release()
    return kept


def test_that_a_session_put_away_is_continued_with_plan_details_and_numbers(guided_test):
    put_away(guided_test)
    (found,) = kept_tests()
    assert found.n_presentations == 6
    kept = open_kept(found.path)
    again = kept.read()
    assert again.presentations == guided_test.presentations
    assert (again.plan, again.details) == (guided_test.plan, guided_test.details)
    present(again, BONA_FIDE, [0.9] * 6)
    assert again.presentations[-1].number == 7
    again.remove(2)
    kept.keep(again)
    kept.release()
    last = open_kept(found.path).read()
    assert [one.number for one in last.presentations] == [1, 3, 4, 5, 6, 7]


def test_that_another_presentation_leaves_the_files_of_the_others_alone(guided_test):
    kept = KeptSession.begin()
    kept.keep(guided_test)
    (folder,) = (storage.personal_folder() / storage.TESTS_NAME).glob("*/")
    before = {file.name: file.stat().st_ino for file in folder.iterdir()}
    present(guided_test, BONA_FIDE, [0.9] * 6)
    kept.keep(guided_test)
    after = {file.name: file.stat().st_ino for file in folder.iterdir()}
    assert set(after) - set(before) == {"00007.json"}
    assert {name: after[name] for name in before} == before
    for file in folder.iterdir():
        assert file.stat().st_mode & 0o077 == 0
    assert folder.stat().st_mode & 0o077 == 0


def test_that_a_session_that_is_open_is_offered_to_nobody_else(guided_test):
    kept = KeptSession.begin()
    kept.keep(guided_test)
    (folder,) = (storage.personal_folder() / storage.TESTS_NAME).glob("*/")
    assert kept_tests() == ()
    with pytest.raises(GuidedTestError, match="open in another window"):
        open_kept(folder.name)
    kept.release()
    assert len(kept_tests()) == 1


def test_that_a_removed_session_and_one_without_presentations_are_not_offered(guided_test):
    kept = KeptSession.begin()
    kept.keep(guided_test)
    kept.remove()
    put_away(GuidedTest())
    assert kept_tests() == ()


def test_that_deleting_everything_deletes_sessions_too(guided_test):
    put_away(guided_test)
    assert storage.delete_all().problems == ()
    assert kept_tests() == ()
    assert not storage.personal_folder().exists()


@pytest.mark.parametrize("name", ["session.json", "00002.json"])
def test_that_a_damaged_session_is_told_in_one_sentence(name, guided_test):
    put_away(guided_test)
    (folder,) = (storage.personal_folder() / storage.TESTS_NAME).glob("*/")
    for text in ("", "[]", "{}", "[" * 5000, '{"format": "x"}', "x" * (1 << 21)):
        (folder / name).write_text(text)
        (found,) = kept_tests()
        kept = open_kept(found.path)
        with pytest.raises(GuidedTestError) as told:
            kept.read()
        kept.release()
        assert str(told.value).count(". ") == 0


def test_that_a_presentation_lost_from_the_disk_leaves_the_rest(guided_test):
    put_away(guided_test)
    (folder,) = (storage.personal_folder() / storage.TESTS_NAME).glob("*/")
    (folder / "00002.json").unlink()
    kept = open_kept(folder.name)
    assert [one.number for one in kept.read().presentations] == [1, 3, 4, 5, 6]
    assert json.loads((folder / "00003.json").read_text())["number"] == 3
