import subprocess
import sys
from itertools import islice

import numpy as np
import pytest

from app.capture.source import SourceError
from app.demo.renderer.camera import WEBCAM, unpacked
from app.demo.renderer.scene import Scene
from app.demo.renderer.setting import room_of, setting
from app.demo.renderer.takes import frames, record
from app.demo.script import RATE, SIZE, script
from app.demo.source import OPENING, DemoSource, joined, opening
from lmkl_core.errors import InvalidInputError
from tests.app.capture.media import FakeClock


def quick(**options):
    """Return a demo with two pictures per chapter."""
    return DemoSource(**{"paced": False, "n_recorded": 2, **options})


def chapter_of(source, key):
    return next(chapter for chapter in source.script.presentations if chapter.key == key)


def test_that_frames_are_those_of_the_take():
    source = quick()
    source.present("monitor")
    first, second = (frame.image for frame in frames(chapter_of(source, "monitor").take))
    with source:
        images = [frame.image for frame in islice(source, 3)]
    assert np.array_equal(images, [first, second, first])


def test_that_the_empty_room_is_the_persons_room():
    source = quick()
    source.present("nobody")
    chapter = chapter_of(source, "nobody")
    with source:
        source.read()
        packed = source._reel.picture(chapter, 0)
    place = setting("P001", "window", SIZE, chapter.take.seed, "nobody")
    view = Scene(room_of(place, "window"), []).render(0.0)
    assert packed == place.camera(WEBCAM).shoot(view, 0.0)


def test_that_a_presentation_begins_with_the_next_frame():
    source = quick()
    with source:
        source.read()
        source.present("print")
        before = source.chapter.key, source.presenting
        frame = source.read()
    assert before == ("window 6", "print")
    assert source.chapter.key == "print"
    assert frame.caption == "Simulated: A print of the person"
    assert frame.number == 1


def test_that_an_unknown_presentation_is_refused_with_the_choices():
    source = quick()
    with pytest.raises(InvalidInputError, match=r"'mirror'; .*paper mask"):
        source.present("mirror")
    assert source.presenting is None


def test_that_a_demo_without_a_loop_announces_its_length():
    with quick(loop=False) as source:
        info = source.open()
    assert info.n_frames == sum(chapter.n_frames for chapter in source.script.loop)
    assert info.rate == RATE


def test_that_a_paced_demo_gives_thirty_frames_per_second():
    clock = FakeClock()
    with quick(paced=True, clock=clock) as source:
        for _ in range(16):
            source.read()
    assert sum(clock.waits) == pytest.approx(15 / 30)


def test_that_a_demo_gives_frames_only_while_open_and_continues_their_numbers():
    source = quick()
    assert source.read() is None
    with source:
        source.read()
    source.close()
    assert source.read() is None
    with source:
        frame = source.read()
    assert (frame.number, frame.time) == (1, pytest.approx(1 / 30))


def test_that_an_unreadable_portrait_is_reported_by_the_source(monkeypatch):
    monkeypatch.setattr("app.demo.script.PERSON", "P999")
    source = quick()
    source.present("print")
    with source, pytest.raises(SourceError, match="P999"):
        source.read()


@pytest.mark.parametrize("ending", ["source.close()", "pass"])
def test_that_a_program_may_end_while_the_demo_is_recorded(ending):
    program = f"""
from app.demo.source import DemoSource
source = DemoSource(paced=False)
source.present('print')
source.open()
for _ in range(3):
    source.read()
{ending}
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, b"")


FIRST = script().loop[0]


def test_that_the_opening_is_the_complete_first_chapter_and_small():
    assert len(opening()) == FIRST.take.n_frames
    assert OPENING.stat().st_size < 2_500_000


def test_that_the_opening_shows_what_the_renderer_draws():
    # Another processor may round differently; another take differs by far more.
    for made, shipped in zip(record(FIRST.take), opening()[:8], strict=False):
        assert difference(made, shipped) < 1.0
    other = next(record(script().enrolment[0].take))
    assert difference(other, opening()[0]) > 5.0


def difference(one, other):
    return np.abs(unpacked(one).astype(float) - unpacked(other)).mean()


@pytest.mark.parametrize(
    "content",
    [b"\0", joined([b"\xff\xd8 a picture \xff\xd9"])[:-1], joined([b"not a picture"])],
    ids=["no length", "cut off", "no picture"],
)
def test_that_a_missing_or_damaged_opening_is_ignored(tmp_path, content):
    path = tmp_path / "opening.bin"
    assert opening(path) == []
    path.write_bytes(content)
    assert opening(path) == []
