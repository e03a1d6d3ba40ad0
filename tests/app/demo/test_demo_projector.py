import threading

import pytest

from app.demo.reel import Projector
from tests.app.demo.conftest import PATIENCE, pictured, pictures_of

N_RECORDED = 40


@pytest.fixture
def n_recorded():
    return N_RECORDED


def playing(parts, reel, *, patient=False, loop=True, there=None):
    """Return a projector with pictures of some chapters at hand and the reel started."""
    for chapter, n_pictures in (there or {}).items():
        reel.insert(chapter, pictures_of(chapter, n_pictures))
    projector = Projector(parts, reel, loop=loop, patient=patient)
    reel.start()
    return projector


def numbers(pictures):
    return [int(picture.split()[-1]) for picture in pictures]


def test_that_a_recorded_chapter_is_shown_as_a_patient_projector_would(parts, reel):
    first = parts.loop[0]
    projector = playing(parts, reel, there={first: N_RECORDED})
    shown = [projector.picture() for _ in range(first.n_frames)]
    assert shown == [pictured(first, first.picture_of(k)) for k in range(first.n_frames)]


def test_that_a_growing_recording_is_played_to_and_fro_without_a_jump(parts, studio, reel):
    first = parts.loop[0]
    projector = playing(parts, reel, there={first: 12})
    shown = [projector.picture() for _ in range(20)]
    studio.allow(13 + 12)  # the first twelve are made again
    reel.picture(first, 20)
    shown += [projector.picture() for _ in range(60)]
    assert max(numbers(shown[:20])) == 11
    assert max(numbers(shown)) > 19
    steps = {abs(b - a) for a, b in zip(numbers(shown), numbers(shown[1:]), strict=False)}
    assert steps == {1}


def test_that_a_handful_of_pictures_does_not_tremble(parts, reel):
    first = parts.loop[0]
    projector = playing(parts, reel, there={first: 3})
    assert numbers(projector.picture() for _ in range(6)) == [0, 1, 2, 2, 2, 2]


def test_that_the_last_picture_is_held_until_there_is_one_of_what_is_presented(parts, studio, reel):
    first, enrolled = parts.loop[0], parts.enrolment[0]
    projector = playing(parts, reel, there={first: N_RECORDED})
    last = [projector.picture() for _ in range(5)][-1]
    projector.present(enrolled)
    assert [projector.picture() for _ in range(3)] == [last] * 3
    assert projector.shown == first
    studio.allow(1)
    reel.picture(enrolled, 0)
    assert projector.picture() == pictured(enrolled, 0)
    assert projector.shown == enrolled


def test_that_a_chapter_goes_on_while_there_is_nothing_of_the_next(parts, studio, reel):
    first, second = parts.loop[:2]
    projector = playing(parts, reel, there={first: N_RECORDED})
    for _ in range(first.n_frames):
        projector.picture()
    more = [projector.picture() for _ in range(3)]
    assert projector.shown == first
    assert len(set(more)) == 3
    studio.allow(1)
    reel.picture(second, 0)
    assert projector.picture() == pictured(second, 0)


@pytest.mark.parametrize("patient", [True, False])
def test_that_what_is_presented_stays_until_directed_otherwise(parts, reel, patient):
    chapter = parts.loop[1]
    projector = playing(parts, reel, patient=patient, there={chapter: N_RECORDED})
    projector.present(chapter)
    for _ in range(2 * chapter.n_frames):
        assert projector.picture() is not None
        assert projector.shown == chapter


@pytest.mark.parametrize("patient", [True, False])
def test_that_everything_in_turn_starts_over_with_the_person(parts, reel, patient):
    first, second = parts.loop[:2]
    there = {first: N_RECORDED, second: N_RECORDED}
    projector = playing(parts, reel, patient=patient, there=there)
    for _ in range(first.n_frames + 5):
        projector.picture()
    projector.present(first)
    projector.picture()
    projector.present(None)
    assert projector.presenting is None
    assert [projector.picture() for _ in range(3)] == pictures_of(first, 3)


def test_that_presenting_the_same_again_changes_nothing(parts, reel):
    chapter = parts.loop[1]
    projector = playing(parts, reel, there={chapter: N_RECORDED})
    projector.present(chapter)
    projector.picture()
    projector.present(chapter)
    assert projector.picture() == pictured(chapter, 1)


def test_that_a_reader_that_waits_follows_a_new_direction(parts, reel):
    chapter = parts.loop[1]
    projector = playing(parts, reel, patient=True, there={chapter: N_RECORDED})
    got = []
    reader = threading.Thread(target=lambda: got.append(projector.picture()))
    reader.start()  # waits for the first chapter, of which there is nothing
    projector.present(chapter)
    reader.join(PATIENCE)
    assert got == [pictured(chapter, 0)]


@pytest.mark.parametrize("patient", [True, False])
@pytest.mark.parametrize("loop", [True, False])
def test_that_the_loop_shows_every_chapter_for_its_time_and_ends_if_it_shall(
    parts, reel, loop, patient
):
    there = {chapter: chapter.take.n_frames for chapter in parts.loop}
    projector = playing(parts, reel, loop=loop, patient=patient, there=there)
    for chapter in parts.loop:
        for _ in range(chapter.n_frames):
            assert projector.picture().startswith(f"{chapter.key}:".encode())
    assert projector.picture() == (pictured(parts.loop[0], 0) if loop else None)


def test_that_what_is_presented_is_recorded_before_everything_else(parts, studio, reel):
    first, enrolled, following = parts.loop[0], *parts.enrolment[3:5]
    projector = playing(parts, reel, there={first: N_RECORDED})
    projector.picture()
    projector.present(enrolled)
    studio.allow(1000)
    reel.picture(parts.loop[1], 0)
    keys = [key for key in studio.begun if key in (enrolled.key, following.key)]
    assert keys == [enrolled.key, following.key]
    assert studio.begun.index(following.key) < len(studio.begun) - 1


def test_that_a_failed_recorder_is_told_when_its_pictures_are_needed(parts, reel):
    first = parts.loop[0]

    def broken(chapter, stopping):
        raise ValueError("no light")

    reel._record = broken
    projector = playing(parts, reel, there={first: N_RECORDED})
    for _ in range(first.n_frames):
        assert projector.picture() is not None
    with pytest.raises(ValueError, match="no light"):
        reel.picture(parts.loop[1], 0)
    with pytest.raises(ValueError, match="no light"):
        projector.picture()
    with pytest.raises(ValueError, match="no light"):
        reel.check()
