"""Killed at any moment while saving: the old or the new file is there, and takes come back."""

import gc
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from app.reports.writing import files_of
from app.session.recovery import find
from app.settings import load as load_settings
from lmkl_core import load_model
from lmkl_core.system.files import ABANDONED_SECONDS, UNFINISHED, sweep, write_atomically
from tests.app.unsaved_takes import same_samples

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def killed(tmp_path):
    """Return a function that kills a job at every moment and returns what each kill left."""

    def run(job):
        done = subprocess.run(
            [sys.executable, "-m", "tests.faults.killing", job, str(tmp_path)],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        left = []
        for facts in sorted(tmp_path.glob("*.json")):
            how = json.loads(facts.read_text())
            # Files smaller than the limit were written completely.
            assert how["signal"] in (0, signal.SIGKILL, signal.SIGXFSZ), (facts, done.stderr)
            left.append((facts.with_suffix(""), how))
        ends = {how["signal"] for folder, how in left if folder.name.startswith("line")}
        assert ends == {signal.SIGKILL}
        return tmp_path / "before", tmp_path / "to its end", left

    return run


def contents(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.match(UNFINISHED)
    }


def unfinished_are_removed_by_the_next_write(folder):
    """Whether a write a day later removes what a killed writer left."""
    for path in folder.rglob(UNFINISHED):
        long_ago = time.time() - ABANDONED_SECONDS - 1
        os.utime(path, (long_ago, long_ago))
    write_atomically(folder / "next", b"")
    (folder / "next").unlink()
    return not list(folder.rglob(UNFINISHED))


@pytest.mark.fault("Process and disk", "killed while a model is saved over another", keeps="models")
def test_that_a_model_is_the_old_or_the_new_one(killed, attempt):
    before, after, left = killed("model")
    for folder, _ in left:
        with attempt() as trial:
            trial.expect_kept(contents(folder) in (contents(before), contents(after)))
            load_model(folder / "face.safetensors")
            assert unfinished_are_removed_by_the_next_write(folder)
    assert any(contents(folder) == contents(after) for folder, _ in left)


@pytest.mark.fault("Process and disk", "killed while settings are saved", keeps="settings")
def test_that_settings_are_the_old_or_the_new_ones(killed, attempt, monkeypatch):
    _, _, left = killed("settings")
    seen = set()
    for folder, _ in left:
        monkeypatch.setenv("LMKL_PAD_CONFIG", str(folder))
        with attempt() as trial:
            settings, problems = load_settings()
            trial.expect_kept(settings.theme in ("light", "dark") and problems == ())
            assert unfinished_are_removed_by_the_next_write(folder)
        seen.add(settings.theme)
    assert seen == {"light", "dark"}


@pytest.mark.fault("Process and disk", "killed while a report is saved over another", keeps="files")
def test_that_every_file_of_a_report_is_the_old_or_the_new_one(killed, attempt):
    before, after, left = killed("report")
    old, new = contents(before), contents(after)
    page, document, *_ = (path.name for path in files_of("report.html"))
    for folder, _ in left:
        with attempt() as trial:
            found = contents(folder)
            trial.expect_kept(set(found) == set(old))
            assert all(found[name] in (old[name], new[name]) for name in found)
            # The page comes last, so a new one is never beside old figures.
            if found[Path(page)] == new[Path(page)]:
                assert found == new
            json.loads(found[Path(document)])
            assert unfinished_are_removed_by_the_next_write(folder)


@pytest.mark.fault("Process and disk", "killed while takes are recorded", keeps="frames")
def test_that_takes_come_back_except_for_the_frame_being_written(killed, attempt, monkeypatch):
    from tests.faults.killing import states

    _, _, left = killed("takes")
    reached = [(), *states()]
    for folder, how in left:
        monkeypatch.setenv("LMKL_PAD_DATA", str(folder))
        with attempt() as trial:
            found = find()
            samples = found[0].samples if found else ()
            assert sum(run.n_damaged for run in found) == 0
            # The state before or after the last step, never anything else.
            last = reached[min(how["done"] + 1, len(reached) - 1)]
            expected = (reached[how["done"]], last)
            assert len(found) <= 1
            trial.expect_kept(any(same_samples(samples, state) for state in expected))
            trial.lose(max(0, len(last) - len(samples)))
            for left_run in found:
                left_run.run.remove()
            assert not list((folder / "personal" / "unsaved").glob("*"))


def test_that_new_files_other_files_and_links_are_not_swept_away(tmp_path):
    long_ago = time.time() - 10 * 24 * 3600
    (tmp_path / "precious").write_bytes(b"mine")
    names = (".lmkl-.tmp", ".lmkl-x.tmp.bak", "lmkl-0.tmp", ".lmkl-A B.tmp")
    for name in names:
        (tmp_path / name).write_bytes(b"theirs")
        os.utime(tmp_path / name, (long_ago, long_ago))
    (tmp_path / ".lmkl-0.tmp").symlink_to(tmp_path / "precious")
    (tmp_path / ".lmkl-1.tmp").mkdir()
    os.utime(tmp_path / ".lmkl-1.tmp", (long_ago, long_ago))
    (tmp_path / ".lmkl-0123456789abcdef.tmp").write_bytes(b"new")
    sweep(tmp_path)
    assert len(list(tmp_path.iterdir())) == len(names) + 4


@pytest.mark.fault("Process and disk", "interrupted by Ctrl-C at any line of saving", keeps="files")
def test_that_an_interrupt_at_any_line_leaves_nothing_unfinished(tmp_path, attempt):
    """An interrupt right after a file was made once left it behind."""
    path = tmp_path / "face"
    path.write_bytes(b"old")
    with warnings.catch_warnings():
        # A file opened by an interrupted call is closed by the collector.
        warnings.simplefilter("ignore", ResourceWarning)
        line = interrupted_at_every_line(path, attempt)
        gc.collect()
    assert line > 10


def interrupted_at_every_line(path, attempt):
    """Interrupt a write at its first line, its second and so on; return the number of lines."""
    line = 0
    while path.read_bytes() == b"old":
        line += 1
        with attempt() as trial:
            sys.settrace(Interrupting(line))
            try:
                write_atomically(path, b"new")
            except KeyboardInterrupt:
                pass
            finally:
                sys.settrace(None)
            trial.expect_kept(path.read_bytes() in (b"old", b"new"))
            assert [file.name for file in path.parent.iterdir()] == ["face"]
    return line


class Interrupting:
    """Raises KeyboardInterrupt at a line of the code that writes."""

    def __init__(self, line):
        self._left = line

    def __call__(self, frame, event, _argument):
        if not frame.f_code.co_filename.endswith("lmkl_core/system/files.py"):
            return None
        if event == "line":
            self._left -= 1
            if self._left == 0:
                raise KeyboardInterrupt
        return self
