"""Two instances at once: shared files stay intact, and takes stay separate."""

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
    """Return a folder with a model, beside the folders for settings and data."""
    monkeypatch.setenv("LMKL_PAD_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LMKL_PAD_DATA", str(tmp_path / "data"))
    (tmp_path / "shared").mkdir()
    save(window_model(), tmp_path / "shared" / "model.safetensors")
    return tmp_path / "shared"


def run_both(folder, look):
    """Let two programs write at once, look meanwhile, and return their output."""
    programs = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.faults.writing_twice", name, str(folder)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("first", "second")
    ]
    while not all((folder / f"{name} is ready").exists() for name in ("first", "second")):
        assert all(program.poll() is None for program in programs)
        time.sleep(0.01)
    (folder / "go").touch()
    while any(program.poll() is None for program in programs):
        look()
    output = "".join(program.communicate()[0] for program in programs)
    assert [program.returncode for program in programs] == [0, 0]
    return output


def assert_that_both_left_their_takes():
    found = find()
    n_left = {tuple({s.take for s in each.samples}): len(each.samples) for each in found}
    assert n_left == {("first",): TURNS, ("second",): TURNS}
    for each in found:
        each.run.remove()


@pytest.mark.fault("Process and disk", "two instances at once", keeps="files")
def test_that_files_of_two_instances_are_intact_at_any_moment(folder, attempt):
    seen = set()

    def look():
        with attempt() as trial:
            kept, problems = settings.load()
            trial.expect_kept(problems == ())
            assert len(set(kept.recent)) <= 1  # of one instance, never of both
            seen.update(kept.recent[:1])
            if (folder / "face.safetensors").exists():
                load(folder / "face.safetensors")
        time.sleep(0.005)

    run_both(folder, look)
    assert seen
    assert {name.split()[0] for name in seen} <= {"first", "second"}
    load(folder / "face.safetensors")
    assert_that_both_left_their_takes()
    assert not list(folder.parent.rglob(UNFINISHED))


@pytest.mark.fault("Process and disk", "everything deleted while another instance runs")
def test_that_deleting_everything_in_one_does_not_disturb_the_other(folder):
    (folder / "delete").touch()
    assert "Traceback" not in run_both(folder, lambda: time.sleep(0.05))
    assert_that_both_left_their_takes()  # stored again after the deletion, and only once
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


def test_that_a_journal_whose_folder_is_deleted_begins_another(folder):
    """A lock whose file was deleted protects nothing."""
    journal = Journal()
    journal.keep(takes(2, "window"), FEATURES)
    (before,) = takes_folder().glob("*/")
    storage.delete_all()
    journal.keep(takes(3, "window"), FEATURES)
    (after,) = takes_folder().glob("*/")
    assert after != before
    assert find() == []  # the run is still alive
    journal.close()


def test_that_threads_of_one_program_have_separate_folders(folder):
    journals = [Journal() for _ in range(4)]
    threads = [
        threading.Thread(target=journal.keep, args=(takes(3, f"take {n}"), FEATURES))
        for n, journal in enumerate(journals)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(takes_folder().glob("*/"))) == 4
    for journal in journals:
        journal.keep((), {})
    assert list(takes_folder().iterdir()) == []
