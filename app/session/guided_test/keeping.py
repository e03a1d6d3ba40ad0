"""Keep test sessions on disk, so that they can be continued on another day.

Each has a folder in ``personal/tests`` with ``session.json`` (plan and details) and one small file
per presentation. The folder of an open session is locked.
"""

import contextlib
import json
import os
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from app import storage
from app.session.guided_test.guided_test import MOST_PRESENTATIONS, GuidedTest
from app.session.guided_test.presentation import GuidedTestError, Presentation
from app.session.runs import Run, begin_run, ended_runs

HEAD_NAME = "session.json"
MAX_BYTES = 1 << 20
"""Size limit of each file; a presentation has a few thousand bytes."""

_NUMBERED = re.compile(r"[0-9]{1,9}\.json")


@dataclass(frozen=True)
class KeptTest:
    """A session on disk: its folder, and when it was last changed."""

    path: str
    when: str
    n_presentations: int


class KeptSession:
    """The locked folder of an open session."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._head = ""
        self._kept: dict[int, Presentation] = {}

    @classmethod
    def begin(cls) -> "KeptSession":
        return cls(begin_run(storage.TESTS_NAME))

    def keep(self, guided_test: GuidedTest) -> None:
        """Bring the disk up to date; after an `OSError` the next call tries again."""
        head = json.dumps(guided_test.head(), ensure_ascii=False, allow_nan=False)
        if head != self._head:
            storage.write_text(self._run.folder / HEAD_NAME, head)
            self._head = head
        wanted = {presentation.number: presentation for presentation in guided_test.presentations}
        for number, presentation in wanted.items():
            if self._kept.get(number) is not presentation:
                text = json.dumps(presentation.as_dict(), ensure_ascii=False, allow_nan=False)
                storage.write_text(self._file(number), text)
                self._kept[number] = presentation
        for number in set(self._kept) - set(wanted):
            self._file(number).unlink(missing_ok=True)
            del self._kept[number]

    def release(self) -> None:
        self._run.release()

    def remove(self) -> None:
        self._run.remove()

    def read(self) -> GuidedTest:
        """Return the session, or raise `GuidedTestError` if it is damaged."""
        folder = self._run.folder
        try:
            head = json.loads(storage.read_text(folder / HEAD_NAME, MAX_BYTES))
            rows = [json.loads(storage.read_text(file, MAX_BYTES)) for file in _files(folder)]
            document = {**head, "presentations": rows}
        except (OSError, ValueError, TypeError, RecursionError) as error:
            why = getattr(error, "strerror", None) or "a file in it is damaged"
            raise GuidedTestError(
                f"The saved test session cannot be read ({why}): delete it and begin a new one."
            ) from error
        guided_test = GuidedTest.from_dict(document)
        self._kept = {kept.number: kept for kept in guided_test.presentations}
        return guided_test

    def _file(self, number: int) -> Path:
        return self._run.folder / f"{number:05d}.json"


def kept_tests() -> tuple[KeptTest, ...]:
    """Return the sessions that are not open anywhere, newest first."""
    found = []
    for run in ended_runs(storage.TESTS_NAME):
        with contextlib.suppress(OSError, ValueError, OverflowError):  # just deleted
            if files := _files(run.folder):
                changed = max(file.stat().st_mtime for file in files)
                when = datetime.fromtimestamp(changed).astimezone().isoformat(timespec="minutes")
                found.append((changed, KeptTest(run.folder.name, when, len(files))))
        run.release()
    return tuple(kept for _, kept in sorted(found, key=lambda pair: pair[0], reverse=True))


def open_kept(name: str) -> KeptSession:
    """Lock a session of `kept_tests`; raise `GuidedTestError` if it is gone or open elsewhere."""
    runs = {run.folder.name: run for run in ended_runs(storage.TESTS_NAME)}
    chosen = runs.pop(name, None)
    for run in runs.values():
        run.release()
    if chosen is None:
        raise GuidedTestError(
            "This test session is open in another window or was deleted: choose another one."
        )
    return KeptSession(chosen)


def _files(folder: Path) -> list[Path]:
    names = [name for name in os.listdir(folder) if _NUMBERED.fullmatch(name)]
    names.sort(key=lambda name: int(name.removesuffix(".json")))
    return [folder / name for name in names[:MOST_PRESENTATIONS]]
