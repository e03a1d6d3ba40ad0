"""Test sessions on disk."""

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


@pytest.fixture
def kept(guided_test):
    """Return the open session."""
    kept = KeptSession.begin()
    kept.keep(guided_test)
    yield kept
    kept.release()


@pytest.fixture
def folder(kept):
    """Return the folder of a session that was closed."""
    kept.release()
    return session_folder()


def session_folder():
    (folder,) = (storage.personal_folder() / storage.TESTS_NAME).glob("*/")
    return folder


def numbers(guided_test):
    return [presentation.number for presentation in guided_test.presentations]


def test_that_a_session_is_continued_with_plan_details_and_numbers(folder, guided_test):
    (found,) = kept_tests()
    assert found.n_presentations == 6
    kept = open_kept(found.path)
    again = kept.read()
    assert again.presentations == guided_test.presentations
    assert (again.plan, again.details) == (guided_test.plan, guided_test.details)
    present(again, BONA_FIDE, [0.9] * 6)
    again.remove(2)
    kept.keep(again)
    kept.release()
    assert numbers(open_kept(found.path).read()) == [1, 3, 4, 5, 6, 7]


def test_that_another_presentation_does_not_rewrite_the_others(kept, guided_test):
    before = {file: file.stat().st_ino for file in session_folder().iterdir()}
    present(guided_test, BONA_FIDE, [0.9] * 6)
    kept.keep(guided_test)
    after = {file: file.stat().st_ino for file in session_folder().iterdir()}
    assert {file.name for file in set(after) - set(before)} == {"00007.json"}
    assert {file: after[file] for file in before} == before
    for path in (session_folder(), *after):
        assert path.stat().st_mode & 0o077 == 0


def test_that_an_open_session_is_not_offered(kept):
    assert kept_tests() == ()
    with pytest.raises(GuidedTestError, match="open"):
        open_kept(session_folder().name)
    kept.release()
    assert len(kept_tests()) == 1


def test_that_a_removed_session_and_one_without_presentations_are_not_offered(kept):
    kept.remove()
    empty = KeptSession.begin()
    empty.keep(GuidedTest())
    empty.release()
    assert kept_tests() == ()


@pytest.mark.parametrize("name", ["session.json", "00002.json"])
def test_that_a_damaged_session_is_refused_in_one_sentence(folder, name):
    for text in ("", "[]", "{}", "[" * 5000, '{"format": "x"}', "x" * (1 << 21)):
        (folder / name).write_text(text)
        kept = open_kept(folder.name)
        with pytest.raises(GuidedTestError) as caught:
            kept.read()
        kept.release()
        assert ". " not in str(caught.value)


def test_that_a_presentation_lost_from_disk_leaves_the_others(folder):
    (folder / "00002.json").unlink()
    assert numbers(open_kept(folder.name).read()) == [1, 3, 4, 5, 6]
