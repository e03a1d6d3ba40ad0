"""Unsaved takes on disk, without a window: kept, offered and deleted in any order of events."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from app import storage
from app.qt.controllers.recovery import BRING_BACK, DELETE, RecoveryController
from app.qt.workers.recovery import RecoveryWorker
from app.session.session import Session
from app.settings import Settings
from tests.app.unsaved_takes import (
    FEATURES,
    kept_frames,
    leave,
    left_samples,
    same_samples,
    takes,
    takes_folder,
)
from tests.qt.driving import recorded

pytestmark = pytest.mark.usefixtures("qapp")

SAMPLES = takes(4, "window", "lamp")
OTHER_VIEWS = {"preset": {"name": "tiny"}}


class Busy(RecoveryWorker):
    """A worker that can be busy: its slots then wait for `work`, and are dropped by `finish`."""

    is_busy = False

    def __init__(self):
        super().__init__()
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
    """A controller and its worker on this thread."""

    def __init__(self, is_on=True, features=FEATURES):
        self.session, self.worker = Session(Settings()), Busy()
        self.controller = RecoveryController(self.session, self.worker, is_on)
        self._notices = recorded(self.controller.notice)
        self.controller.on_prepared(features)

    def enrol(self, samples):
        self.session.change_enrolment(lambda enrolment: setattr(enrolment, "samples", samples))

    def choose(self, key):
        self.controller.choose(RecoveryController.topic, key)

    def clear(self):
        self.session.change_enrolment(lambda enrolment: enrolment.clear())

    def delete_everything(self):
        self.clear()
        self.controller.forget()
        assert storage.delete_all().problems == ()

    @property
    def samples(self):
        return self.session.enrolment.samples

    @property
    def offer(self):
        """The text of the present offer; empty if there is none."""
        return self._offer.text

    @property
    def answers(self):
        return [choice.key for choice in self._offer.actions]

    @property
    def _offer(self):
        return [n for n in self._notices if n.topic == RecoveryController.topic][-1]


def is_empty():
    return not takes_folder().exists() or list(takes_folder().iterdir()) == []


def test_that_only_takes_of_a_real_person_are_kept_until_they_are_removed():
    bench = Bench()
    bench.enrol(tuple(replace(s, is_simulated=s.take == "lamp") for s in SAMPLES))
    assert kept_frames() == [4]
    bench.enrol(tuple(replace(s, is_simulated=True) for s in SAMPLES))
    assert is_empty()
    bench.enrol(SAMPLES)
    bench.session.change_enrolment(lambda enrolment: enrolment.remove_take("lamp"))
    assert kept_frames() == [4]
    bench.clear()
    assert is_empty()


@pytest.mark.parametrize(
    "delete",
    [lambda bench: bench.clear(), lambda bench: bench.controller.forget()],
    ids=["cleared", "forgotten"],
)
def test_that_takes_that_could_not_be_deleted_are_deleted_at_the_end(delete, monkeypatch):
    leave(SAMPLES)
    bench = Bench()
    bench.choose(BRING_BACK)
    bench.enrol((*bench.samples, *takes(2, "desk", first=50)))

    def refused(path, missing_ok=False):
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patched, suppress(PermissionError):
        patched.setattr(Path, "unlink", refused)
        delete(bench)
    assert sum(kept_frames()) == 10
    bench.worker.finish()
    assert is_empty()


def test_that_switching_it_off_deletes_everything_and_keeps_no_more():
    leave(SAMPLES[:2])
    leave(SAMPLES[:3])
    bench = Bench()
    bench.enrol(SAMPLES)
    assert kept_frames() == [2, 3, 8]
    bench.controller.switch(False)
    assert is_empty()
    assert bench.offer == ""
    bench.enrol(SAMPLES[:5])
    assert is_empty()
    bench.controller.switch(True)
    assert kept_frames() == [5]
    bench.controller.switch(False)
    leave(SAMPLES)
    assert Bench(is_on=False).offer == ""
    assert is_empty()


def test_that_several_runs_are_offered_one_after_the_other():
    leave(SAMPLES)
    leave(SAMPLES[:3])
    bench = Bench()
    first = bench.offer
    bench.choose(BRING_BACK)
    assert bench.offer not in ("", first)
    bench.choose(BRING_BACK)
    assert bench.offer == ""
    assert len(bench.samples) == len(SAMPLES) + 3
    assert kept_frames() == [len(SAMPLES) + 3]
    bench.controller.forget()


def test_that_takes_of_other_views_wait_until_these_are_chosen():
    leave(SAMPLES)
    bench = Bench(features=OTHER_VIEWS)
    assert "texture" in bench.offer
    assert bench.answers == [DELETE]
    bench.controller.on_prepared(FEATURES)
    assert bench.answers == [BRING_BACK, DELETE]
    bench.controller.on_prepared(OTHER_VIEWS)
    bench.choose(BRING_BACK)  # clicked at that moment
    assert bench.samples == ()
    assert bench.answers == [DELETE]
    bench.controller.release()
    assert same_samples(left_samples(), SAMPLES)


def test_that_takes_just_brought_back_are_always_on_disk():
    leave(SAMPLES)
    bench = Bench()
    bench.worker.is_busy = True
    bench.choose(BRING_BACK)
    assert same_samples(bench.samples, SAMPLES)
    assert kept_frames() == [len(SAMPLES)]
    bench.worker.work()
    assert kept_frames() == [len(SAMPLES)]
    bench.controller.forget()
    assert is_empty()


@pytest.mark.parametrize("is_deleted", [False, True])
def test_that_closing_at_once_deletes_only_what_was_to_be_deleted(is_deleted):
    leave(SAMPLES)
    bench = Bench()
    bench.worker.is_busy = True
    if is_deleted:
        bench.choose(DELETE)
    bench.controller.release()  # as closing does
    bench.worker.keep_only((), {})
    bench.worker.finish()
    assert bench.samples == ()
    assert is_empty() if is_deleted else same_samples(left_samples(), SAMPLES)


def test_that_takes_deleted_by_another_instance_do_not_come_back():
    leave(SAMPLES)
    bench = Bench()
    assert storage.delete_all().problems == ()
    bench.choose(BRING_BACK)
    assert bench.samples == ()
    assert bench.offer == ""


@pytest.mark.fault("Process and disk", "damaged files of unsaved takes, in the window")
def test_that_damaged_takes_are_reported_and_can_be_deleted():
    leave(SAMPLES)
    for path in takes_folder().glob("*/*.safetensors"):
        path.write_bytes(b"")
    bench = Bench()
    assert bench.answers == [DELETE]
    bench.choose(DELETE)
    assert is_empty()


@pytest.mark.fault(
    "Privacy", "everything deleted while takes are searched for, restored or written"
)
@pytest.mark.parametrize("moment", ["looked for", "brought back", "written", "deleted"])
def test_that_nothing_comes_back_after_everything_was_deleted(moment):
    leave(SAMPLES)
    bench = Bench()
    if moment == "looked for":
        bench.controller.switch(False)
        leave(SAMPLES)
    bench.worker.is_busy = True
    match moment:
        case "looked for":
            bench.controller.switch(True)
        case "brought back":
            bench.choose(BRING_BACK)
        case "written":
            bench.enrol(takes(3, "desk", first=50))
        case "deleted":
            bench.choose(DELETE)
    bench.delete_everything()
    bench.worker.work()
    bench.worker.finish()
    assert bench.samples == ()
    assert bench.offer == ""
    assert not storage.personal_folder().exists()


def test_that_takes_found_before_everything_was_deleted_are_not_offered():
    bench = Bench(is_on=False)
    leave(SAMPLES)
    bench.worker.found.disconnect(bench.controller.on_found)
    found = recorded(bench.worker.found)
    bench.controller.switch(True)
    bench.delete_everything()
    bench.controller.on_found(found[0])
    assert len(found[0]) == 1
    assert bench.offer == ""
    assert not storage.personal_folder().exists()
