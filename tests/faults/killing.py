"""Kill real work at every moment, in forks of one interpreter.

::

    python -m tests.faults.killing JOB FOLDER

A job saves something in a folder, and then saves something else in copies of it. In each copy the
process is killed at another moment:

- ``line N``: at the N-th line of the code that writes, for every N before which the disk changed;
- ``byte N``: by the kernel, during a write, after that many bytes of a file.

`tests.faults.test_killed` examines what is left. Files are not synchronised with the disk: what the
kernel has accepted outlives the process.
"""

import json
import mmap
import os
import shutil
import signal
import sys
from pathlib import Path

BYTES = (0, 1, 500, 1_500, 6_000)
"""Sizes of a file at which the kernel kills the process."""

WATCHED = (
    "lmkl_core/system/files.py",
    "app/session/recovery.py",
    "app/session/runs.py",
    "tests/faults/killing.py",
)
"""Code whose lines are counted: everything that writes to the disk."""


def main(job, folder):
    """Kill a job at every moment, and write its progress beside each folder."""
    os.fsync = lambda _handle: None
    before = folder / "before"
    before.mkdir()
    act = JOBS[job](before)
    for line in _moments(act, _copied(before, folder / "to its end")):
        _killed(act, _copied(before, folder / f"line {line}"), line=line)
    for size in BYTES:
        _killed(act, _copied(before, folder / f"byte {size}"), size=size)


def _copied(source, target):
    return Path(shutil.copytree(source, target))


def _moments(act, folder):
    """Return the lines of a complete run before which the disk changed."""
    kept = folder.parent / "moments"
    child = os.fork()
    if child == 0:
        counter = Counter(0, folder)
        _act(act, folder, counter)
        kept.write_text(json.dumps(counter.moments))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    return json.loads(kept.read_text())


def _killed(act, folder, *, line=0, size=None):
    """Run a job in a fork until it is killed, and write how many of its steps were done."""
    done = mmap.mmap(-1, 8)
    child = os.fork()
    if child == 0:
        if size is not None:
            import resource  # POSIX only

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        _act(act, folder, Counter(line) if line else None, done)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    end = os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    facts = {"done": int.from_bytes(done[:8], "little"), "signal": end}
    (folder.parent / f"{folder.name}.json").write_text(json.dumps(facts))


def _act(act, folder, counter=None, done=None):
    """Do the steps of a job; end the fork on any exception."""
    try:
        steps = act(folder)
        if counter is not None:
            sys.settrace(counter)
        for number, _ in enumerate(steps, start=1):
            if done is not None:
                done[:8] = number.to_bytes(8, "little")
        sys.settrace(None)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        os._exit(99)


class Counter:
    """Counts lines of the watched code, and kills the process at line ``fatal``, if not 0.

    ``moments`` are the lines before which the folder changed.
    """

    def __init__(self, fatal, folder=None):
        self.moments = []
        self._n, self._fatal, self._folder, self._seen = 0, fatal, folder, None

    def __call__(self, frame, _event, _argument):
        code = frame.f_code
        if code.co_filename.endswith(WATCHED) and not code.co_name.startswith("<"):
            return self._line
        return None

    def _line(self, _frame, event, _argument):
        if event == "line":
            self._n += 1
            if self._n == self._fatal:
                os.kill(os.getpid(), signal.SIGKILL)
            if self._folder is not None:
                self._look()
        return self._line

    def _look(self):
        seen = {
            str(path): (path.lstat().st_ino, path.lstat().st_size)
            for path in self._folder.rglob("*")
        }
        if seen != self._seen:
            self._seen = seen
            self.moments.append(self._n)


def model_job(before):
    from datetime import UTC, datetime

    import numpy as np

    from lmkl_core import LocalisedMKL, save_model

    rng = np.random.default_rng(0)
    views = {name: rng.normal(size=(24, 4)) for name in ("eyes", "mouth")}
    first, second = (
        LocalisedMKL(n_clusters=1, delta=delta, random_state=0).fit(views) for delta in (0.01, 0.1)
    )
    created = datetime(2026, 11, 17, tzinfo=UTC)
    save_model(first, before / "face.safetensors", created=created)

    def act(folder):
        save_model(second, folder / "face.safetensors", created=created)
        yield

    return act


def settings_job(before):
    from app import settings

    def act(folder, theme="dark"):
        os.environ["LMKL_PAD_CONFIG"] = str(folder)
        settings.save(settings.Settings(theme=theme))
        yield

    list(act(before, "light"))
    return act


def report_job(before):
    from app.reports import build, write
    from tests.app.guided_tests import session
    from tests.app.reports.example_context import context

    first, second = (build(session(2, 2), context(source=f"camera {n}")) for n in (1, 2))
    write(first, before / "report.html")

    def act(folder):
        write(second, folder / "report.html")
        yield

    return act


def takes_job(_before):
    """Keep takes while frames are added and removed, and takes renamed."""
    from app.session.recovery import Journal
    from tests.app.unsaved_takes import FEATURES

    def act(folder):
        os.environ["LMKL_PAD_DATA"] = str(folder)
        journal = Journal()
        for state in states():
            journal.keep(state, FEATURES)
            yield

    return act


def states():
    """Return the samples after each change to them."""
    from dataclasses import replace

    from tests.app.unsaved_takes import takes

    samples = takes(4, "window", "lamp")
    recorded = [samples[:n] for n in (1, 2, 4, 5, 8)]
    removed = (*samples[:2], *samples[3:])
    renamed = tuple(replace(s, take="desk lamp") if s.take == "lamp" else s for s in removed)
    return [*recorded, removed, renamed]


JOBS = {"model": model_job, "settings": settings_job, "report": report_job, "takes": takes_job}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
