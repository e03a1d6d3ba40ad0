"""Two instances at once: what they share stays whole, what is their own stays apart."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from app import settings, storage
from app.models.files import load, save
from app.session.recovery import Journal, find
from lmkl_core.system.files import UNFINISHED
from tests.app.models.small_models import window_model
from tests.app.unsaved_takes import FEATURES, takes, takes_folder
from tests.faults.writing_twice import TURNS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Return a folder with a model, and folders for the person's own beside it."""
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LMKL_PAD_DATA", str(tmp_path / "data"))
    (tmp_path / "shared").mkdir()
    save(window_model(), tmp_path / "shared" / "model.safetensors")
    return tmp_path / "shared"


def both(folder, look):
    """Let two programs write at once, look meanwhile, and return what they said."""
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.faults.writing_twice", name, str(folder)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("first", "second")
    ]
    while not all((folder / f"{name} is ready").exists() for name in ("first", "second")):
        assert all(one.poll() is None for one in started)
        time.sleep(0.01)
    (folder / "go").touch()
    while any(one.poll() is None for one in started):
        look()
    said = [one.communicate()[0] for one in started]
    assert [one.returncode for one in started] == [0, 0]
    return said


@pytest.mark.fault("Process and disk", "two instances at once", keeps="files")
def test_that_what_two_instances_write_is_whole_at_any_moment(folder, attempt):
    seen = set()

    def look():
        with attempt() as trial:
            kept, problems = settings.load()
            trial.expect_kept(problems == ())
            assert len(set(kept.recent)) <= 1  # of one of them, never of both
            seen.update(kept.recent[:1])
            if (folder / "face.safetensors").exists():
                load(folder / "face.safetensors")
        time.sleep(0.005)

    both(folder, look)
    # Which of them is met is a matter of moments; that both wrote, the takes below show.
    assert seen
    assert {name.split()[0] for name in seen} <= {"first", "second"}
    load(folder / "face.safetensors")
    found = find()
    brought = {tuple({s.take for s in one.samples}): len(one.samples) for one in found}
    assert brought == {("first",): TURNS, ("second",): TURNS}
    for one in found:
        one.run.remove()
    assert not list(folder.parent.rglob(UNFINISHED))


@pytest.mark.fault("Process and disk", "everything deleted while another instance runs")
def test_that_deleting_everything_in_one_does_not_disturb_the_other(folder):
    (folder / "delete").touch()
    first, second = both(folder, lambda: time.sleep(0.05))
    assert "Traceback" not in first + second
    # The one that goes on recording keeps its takes again; nothing is kept twice.
    found = find()
    brought = {tuple({s.take for s in one.samples}): len(one.samples) for one in found}
    assert brought == {("first",): TURNS, ("second",): TURNS}
    for one in found:
        one.run.remove()
    assert settings.load()[1] == ()


def test_that_takes_of_a_run_are_offered_to_one_instance_only(folder):
    journal = Journal()
    journal.keep(takes(2, "window"), FEATURES)
    journal.close()
    mine = find()
    script = "from app.session.recovery import find; print(len(find()))"
    other = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert len(mine) == 1
    assert other.stdout.strip() == "0"
    mine[0].run.release()
    assert len(find()) == 1


def test_that_a_writer_whose_folder_is_deleted_under_it_never_shares_a_folder(folder):
    """A lock whose file was deleted protects nothing: the next write begins a folder of its own."""
    journal = Journal()
    journal.keep(takes(2, "window"), FEATURES)
    (before,) = takes_folder().glob("*/")
    storage.delete_all()
    journal.keep(takes(3, "window"), FEATURES)
    (after,) = takes_folder().glob("*/")
    assert after != before
    assert find() == []  # it lives
    journal.close()


def test_that_threads_of_one_program_keep_apart_as_well(folder):
    journals = [Journal() for _ in range(4)]
    threads = [
        threading.Thread(target=one.keep, args=(takes(3, f"take {n}"), FEATURES))
        for n, one in enumerate(journals)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(takes_folder().glob("*/"))) == 4
    for one in journals:
        one.keep((), {})
    assert list(takes_folder().iterdir()) == []
