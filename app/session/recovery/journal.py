"""The journal of a run: what is on disk follows the takes, and is whole at any moment."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.session.recovery.chunks import MOST_ROWS, packed
from app.session.recovery.index import FILE_NAME, Chunk, Index, Row
from app.session.recovery.runs import Run, begin_run
from app.session.takes import Sample
from lmkl_core.system.atomic import write_atomically

TRIES = 3
"""How often a folder is begun that vanishes while it is written to."""


@dataclass(frozen=True, eq=False)
class _Written:
    """A file of frames, and the samples in it, in the order of its rows."""

    chunk: Chunk
    samples: tuple[Sample, ...]


class Journal:
    """Keeps the takes of this run in a folder of its own, which is made with the first of them.

    For one thread at a time. A call that fails leaves what was kept before, and the next one tries
    again.
    """

    def __init__(self) -> None:
        self._run: Run | None = None
        self._written: list[_Written] = []
        self._listed: list[tuple[int, str, str]] = []
        self._next_chunk = 0
        self._replaced: list[Run] = []

    def keep(self, samples: Sequence[Sample], features: Mapping[str, Any]) -> None:
        """Have exactly these samples on disk; without any, nothing is left there.

        Only what is new is written. A file that also holds a sample which is not wanted any more is
        written anew without it, so that what was struck does not stay.

        Parameters
        ----------
        samples : sequence of Sample
            Never changed once made: those that were written already are known again.
        features : mapping
            Fingerprint of their views.

        Raises
        ------
        OSError
            Where the disk refuses; what was kept before is still there.
        """
        if not samples:
            self.discard()
            return
        for _ in range(TRIES):
            try:
                self._keep(samples, features)
                return
            except OSError as error:
                if self._run is not None and self._run.is_there:
                    raise
                problem = error  # deleted by another instance meanwhile, most likely
        raise problem

    def replace(self, run: Run) -> None:
        """Remove an earlier run's folder as soon as its takes, brought back, are kept here."""
        self._replaced.append(run)

    def discard(self) -> None:
        """Leave nothing on disk.

        Raises
        ------
        OSError
            If something cannot be deleted.
        """
        run = self._run
        self._forget()
        if run is not None:
            run.remove()
        self._remove_replaced()

    def close(self) -> None:
        """Let go of the folders; what is in them can be brought back by the next start."""
        for run in (self._run, *self._replaced):
            if run is not None:
                run.release()
        self._forget()
        self._replaced = []

    # ------------------------------------------------------------- inner

    def _keep(self, samples: Sequence[Sample], features: Mapping[str, Any]) -> None:
        if self._run is not None and not self._run.is_there:
            self._run.release()  # deleted by another instance: begin anew
            self._forget()
        listed = [(sample.number, sample.take, sample.person) for sample in samples]
        kept, new = self._divided(samples)
        if not new and listed == self._listed and len(kept) == len(self._written):
            self._remove_replaced()
            return
        if self._run is None:
            self._run = begin_run()
        folder = self._run.folder
        written = list(kept)
        try:
            for begin in range(0, len(new), MOST_ROWS):
                part = tuple(new[begin : begin + MOST_ROWS])
                data, digest = packed(part)
                chunk = Chunk(self._next_chunk, digest, len(part))
                self._next_chunk += 1
                write_atomically(folder / chunk.file_name, data)
                written.append(_Written(chunk, part))
            index = self._index(samples, features, written)
            write_atomically(folder / FILE_NAME, index.to_bytes())
            self._written, self._listed = written, listed
        finally:
            # After a failure, too: a disk that is nearly full would fill up with one for each try.
            self._remove_unlisted(folder)
        self._remove_replaced()

    def _divided(self, samples: Sequence[Sample]) -> tuple[list[_Written], list[Sample]]:
        """Return the files that stay as they are, and the samples that are to be written."""
        wanted = {sample.number: sample for sample in samples}

        def is_wanted(old: Sample) -> bool:
            now = wanted.get(old.number)
            return now is not None and now.views is old.views

        kept = [one for one in self._written if all(map(is_wanted, one.samples))]
        there = {old.number for one in kept for old in one.samples}
        new = [sample for sample in samples if sample.number not in there]
        # Like a binary counter: a file joins its elder once both are of one size, so there are few
        # files, and each frame is written a few times, however many there are.
        while new and kept and len(kept[-1].samples) <= len(new):
            if len(kept[-1].samples) + len(new) > MOST_ROWS:
                break
            new = [*kept.pop().samples, *new]
        return kept, new

    def _index(
        self,
        samples: Sequence[Sample],
        features: Mapping[str, Any],
        written: Sequence[_Written],
    ) -> Index:
        persons = {sample.take: sample.person for sample in samples}
        takes = {name: place for place, name in enumerate(persons)}
        places = {
            sample.number: (chunk, row)
            for chunk, one in enumerate(written)
            for row, sample in enumerate(one.samples)
        }
        return Index(
            datetime.now(UTC),
            features,
            tuple(takes),
            tuple(Row(takes[s.take], *places[s.number]) for s in samples),
            tuple(one.chunk for one in written),
            tuple(run.name for run in self._replaced),
            tuple(persons.values()),
        )

    def _remove_unlisted(self, folder: Path) -> None:
        """Delete files of frames that the index no longer lists."""
        listed = {one.chunk.file_name for one in self._written}
        for path in folder.glob("*.safetensors"):
            if path.name not in listed:
                with contextlib.suppress(OSError):  # the next write tries again
                    path.unlink()

    def _remove_replaced(self) -> None:
        for run in list(self._replaced):
            with contextlib.suppress(OSError):  # the next write tries again
                run.remove()
                self._replaced.remove(run)

    def _forget(self) -> None:
        self._run, self._written, self._listed = None, [], []
