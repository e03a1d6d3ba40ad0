"""What is kept, offered and removed: the real files, without a window, in any order of events."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from app import storage
from app.qt.controllers.recovery import BRING_BACK, DELETE, RecoveryController
from app.qt.workers.recovery import RecoveryWorker
from app.session.recovery import Journal, unpacked
from app.session.session import Session
from app.settings import Settings
from tests.app.unsaved_takes import FEATURES, left_samples, same_samples, takes, takes_folder

pytestmark = pytest.mark.usefixtures("qapp")

MINE = takes(4, "window", "lamp")


class Busy(RecoveryWorker):
    """A worker that can be busy: what it is asked for then waits, and is dropped when it ends."""

    def __init__(self):
        super().__init__()
        self.is_busy = False
        self._waiting = []

    def find(self):
        self._do(super().find)

    def keep(self):
        self._do(super().keep)

    def remove(self):
        self._do(super().remove)

    def work(self):
        self.is_busy = False
        while self._waiting:
            self._waiting.pop(0)()

    def finish(self):
        self.is_busy = False
        super().finish()

    def _do(self, act):
        if self.is_busy:
            self._waiting.append(act)
        else:
            act()


class Bench:
    """A control, its worker on the same thread, and what the person is told."""

    def __init__(self, is_on=True, features=FEATURES):
        self.session, self.worker, self.told = Session(Settings()), Busy(), []
        self.control = RecoveryController(self.session, self.worker, is_on)
        self.control.notice.connect(self.told.append)
        self.worker.notice.connect(self.told.append)
        self.control.on_prepared(features)

    def enrol(self, samples):
        self.session.change_enrolment(lambda one: setattr(one, "samples", samples))

    def choose(self, key):
        self.control.choose(RecoveryController.topic, key)

    @property
    def samples(self):
        return self.session.enrolment.samples

    @property
    def offer(self):
        """What the person is asked."""
        return self._asked().text

    @property
    def answers(self):
        """What they can answer."""
        return [choice.key for choice in self._asked().actions]

    def _asked(self):
        return [notice for notice in self.told if notice.topic == RecoveryController.topic][-1]


def leave(samples=MINE, features=FEATURES):
    """Leave takes as a run that was killed does."""
    journal = Journal()
    journal.keep(samples, features)
    journal.close()


def kept():
    """Return the numbers of frames in the folders on disk."""
    return sorted(
        sum(len(unpacked(path.read_bytes())[1]) for path in folder.glob("*.safetensors"))
        for folder in takes_folder().glob("*/")
    )


def nothing_is_there():
    return not takes_folder().exists() or list(takes_folder().iterdir()) == []


def test_that_only_takes_of_a_real_person_are_kept_until_they_are_struck():
    bench = Bench()
    bench.enrol(tuple(replace(one, is_simulated=one.take == "lamp") for one in MINE))
    assert kept() == [4]
    bench.enrol(tuple(replace(one, is_simulated=True) for one in MINE))
    assert nothing_is_there()
    bench.enrol(MINE)
    bench.session.change_enrolment(lambda one: one.remove_take("lamp"))
    assert kept() == [4]
    bench.session.change_enrolment(lambda one: one.clear())
    assert nothing_is_there()


@pytest.mark.parametrize(
    "delete",
    [
        lambda one: one.session.change_enrolment(lambda e: e.clear()),
        lambda one: one.control.forget(),
    ],
    ids=["cleared", "forgotten"],
)
def test_that_what_could_not_be_deleted_is_deleted_at_the_end(delete, monkeypatch):
    leave()
    bench = Bench()
    bench.choose(BRING_BACK)
    bench.enrol((*bench.samples, *takes(2, "desk", first=50)))

    def refused(path, missing_ok=False):
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patched, suppress(PermissionError):
        patched.setattr(Path, "unlink", refused)
        delete(bench)
    assert sum(kept()) == 10
    bench.worker.finish()
    assert nothing_is_there()


def test_that_switching_it_off_removes_everything_unasked_and_keeps_no_more():
    leave(MINE[:2])
    leave(MINE[:3])
    bench = Bench()
    bench.enrol(MINE)
    assert kept() == [2, 3, 8]
    bench.control.switch(False)
    assert nothing_is_there()
    assert bench.offer == ""
    bench.enrol(MINE[:5])
    assert nothing_is_there()
    bench.control.switch(True)
    assert kept() == [5]
    bench.control.switch(False)
    leave()
    off = Bench(is_on=False)
    assert nothing_is_there()
    assert off.offer == ""


def test_that_several_runs_are_offered_one_after_the_other():
    leave()
    leave(MINE[:3])
    bench = Bench()
    first = bench.offer
    bench.choose(BRING_BACK)
    assert bench.offer not in ("", first)
    bench.choose(BRING_BACK)
    assert bench.offer == ""
    assert len(bench.samples) == len(MINE) + 3
    assert kept() == [3 + len(MINE)]
    bench.control.forget()


def test_that_takes_of_other_views_wait_until_these_are_chosen():
    leave()
    bench = Bench(features={"preset": {"name": "tiny"}})
    assert "texture" in bench.offer
    assert bench.answers == [DELETE]
    bench.control.on_prepared(FEATURES)
    assert bench.answers == [BRING_BACK, DELETE]
    bench.control.on_prepared({"preset": {"name": "tiny"}})
    bench.choose(BRING_BACK)  # clicked at that moment
    assert bench.samples == ()
    assert bench.answers == [DELETE]
    bench.control.release()
    assert same_samples(left_samples(), MINE)


def test_that_a_killed_program_loses_nothing_that_was_brought_back_a_moment_ago():
    leave()
    bench = Bench()
    bench.worker.is_busy = True
    bench.choose(BRING_BACK)
    assert same_samples(bench.samples, MINE)
    assert kept() == [len(MINE)]  # before the worker has heard of it
    bench.worker.work()
    assert kept() == [len(MINE)]
    bench.control.forget()
    assert nothing_is_there()


@pytest.mark.parametrize("answered", [False, True])
def test_that_closing_at_once_deletes_what_was_to_be_deleted_and_nothing_else(answered):
    leave()
    bench = Bench()
    bench.worker.is_busy = True
    if answered:
        bench.choose(DELETE)
    bench.control.release()  # as closing does
    bench.worker.want((), {})
    bench.worker.finish()
    assert bench.samples == ()
    assert nothing_is_there() if answered else same_samples(left_samples(), MINE)


def test_that_takes_that_another_instance_deleted_do_not_come_back():
    leave()
    bench = Bench()
    assert storage.delete_all().problems == ()
    bench.choose(BRING_BACK)
    assert bench.samples == ()
    assert bench.offer == ""


@pytest.mark.fault("Process and disk", "damaged files of unsaved takes, in the window")
def test_that_damaged_takes_are_told_and_can_be_deleted():
    leave()
    for path in takes_folder().glob("*/*.safetensors"):
        path.write_bytes(b"")
    bench = Bench()
    assert "cannot be brought back because" in bench.offer
    assert bench.answers == [DELETE]
    bench.choose(DELETE)
    assert nothing_is_there()


def delete_everything(bench):
    bench.session.change_enrolment(lambda one: one.clear())
    bench.control.forget()
    assert storage.delete_all().problems == ()


@pytest.mark.fault(
    "Privacy", "everything deleted while takes are searched for, restored or written"
)
@pytest.mark.parametrize("moment", ["looked for", "brought back", "written", "deleted"])
def test_that_nothing_comes_back_after_everything_was_deleted(moment):
    leave()
    bench = Bench()
    if moment == "looked for":
        bench.control.switch(False)
        leave()
        bench.worker.is_busy = True
        bench.control.switch(True)
    bench.worker.is_busy = True
    if moment == "brought back":
        bench.choose(BRING_BACK)
    if moment == "written":
        bench.enrol(takes(3, "desk", first=50))
    if moment == "deleted":
        bench.choose(DELETE)
    delete_everything(bench)
    bench.worker.work()
    bench.worker.finish()
    assert bench.samples == ()
    assert bench.offer == ""
    assert not storage.personal_folder().exists()


def test_that_what_was_found_before_everything_was_deleted_is_not_offered():
    leave()
    bench = Bench(is_on=False)
    leave()
    found = []
    bench.worker.found.disconnect(bench.control.on_found)
    bench.worker.found.connect(found.extend)
    bench.control.switch(True)
    delete_everything(bench)
    bench.control.on_found(found)
    assert len(found) == 1
    assert bench.offer == ""
    assert not storage.personal_folder().exists()
