"""Models: fitted, grown, saved, opened; what comes late or fails changes nothing."""

import pytest

from app.models.files import Export
from app.qt.controllers.model import ModelController
from app.session.session import Session
from app.settings import Settings


class Office:
    """A control whose jobs are done when the test says so, on this thread."""

    def __init__(self, samples, features):
        self.session = Session(Settings(preset="tiny"))
        self.session.enrolment.samples = samples
        self.control = ModelController(self.session)
        self.features = features
        self.jobs, self.told, self.opened, self.missing, self.busy = [], [], [], [], []
        self.control.job_requested.connect(self.jobs.append)
        self.control.notice.connect(lambda notice: self.told.append(notice.text))
        self.control.opened.connect(self.opened.append)
        self.control.missing.connect(self.missing.append)
        self.control.fitting_changed.connect(self.busy.append)

    def prepare(self):
        self.control.on_prepared(self.features)
        return self

    def do(self):
        """Do the job that was asked for first."""
        job = self.jobs.pop(0)
        try:
            result = job.work(lambda: False)
        except Exception as error:
            job.on_failed(str(error))
        else:
            job.on_done(result)


@pytest.fixture
def office(qapp, samples, model):
    return Office(samples, model.features)


def test_that_a_fit_of_enough_frames_is_told_and_used_and_holds_them_all(office, samples, qtbot):
    office.control.fit()
    assert "not ready yet" in office.told[0]
    office.prepare().session.enrolment.samples = ()
    office.control.fit()
    assert "Record a take first" in office.told[1]
    assert office.jobs == []
    office.session.enrolment.samples = samples
    with qtbot.waitSignal(office.control.fitted):
        office.control.fit()
        office.do()
    assert office.busy == [True, False]
    assert office.session.enrolment.unmodelled == ()
    assert office.session.has_unsaved_model


def test_that_a_cancelled_fit_leaves_everything_as_it_was(office):
    office.prepare().control.fit()
    office.control.fit()  # one at a time
    (job,) = office.jobs
    assert job.can_cancel
    job.on_cancelled()
    assert office.session.model is None
    assert "cancelled" in office.told[-1]
    office.control.fit()  # and another one may begin
    assert len(office.jobs) == 2


def test_that_a_fit_that_comes_after_the_model_was_given_up_is_dropped(office):
    office.prepare().control.fit()
    office.control.discard()
    office.do()
    assert office.session.model is None


def test_that_a_take_is_folded_into_the_model_that_is_in_use_by_then(office, samples):
    lamp = tuple(sample for sample in samples if sample.take == "lamp")
    office.session.enrolment.samples = tuple(s for s in samples if s.take == "window")
    office.prepare().control.fit()
    office.do()
    office.session.enrolment.samples += lamp
    office.control.set_target(0.2)
    office.control.fold_in("lamp")
    office.do()
    office.do()  # it was begun on the model before: once more, on the one in use
    office.do()
    model = office.session.model
    assert model.estimator.calibration_.target_bpcer == 0.2
    assert office.session.model_summary.n_samples == len(samples)
    assert office.session.enrolment.unmodelled == ()


def test_that_an_export_gives_the_model_its_file_unless_it_changed_meanwhile(
    office, tmp_path, qtbot
):
    office.prepare().control.fit()
    office.do()
    path = tmp_path / "face.safetensors"
    office.control.export(str(path))
    assert not office.jobs[0].can_cancel
    with qtbot.waitSignal(office.control.exported) as told:
        office.do()
    assert isinstance(told.args[0], Export)
    assert not office.session.has_unsaved_model
    assert office.opened == [str(path)]
    assert "agree to the last bit" in office.told[-1]
    office.control.set_target(0.2)
    office.control.export(str(path))
    office.do()
    office.do()
    assert office.session.has_unsaved_model


def test_that_a_model_is_opened_as_soon_as_the_views_are_known_and_stays_with_them(
    office, exported
):
    office.control.open(str(exported))
    assert office.jobs == []
    office.prepare().do()
    assert office.session.model.path == str(exported)
    assert office.opened == [str(exported)]
    office.prepare()  # the same views again
    assert office.session.model is not None


def test_that_a_file_that_is_gone_is_told_as_missing_and_a_damaged_one_is_not(office, tmp_path):
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(b"no model")
    gone = str(tmp_path / "gone.safetensors")
    office.prepare()
    for path in (str(damaged), gone):
        office.control.open(path)
        office.do()
    assert office.missing == [gone]
    assert office.session.model is None


def test_that_new_takes_are_folded_into_an_imported_model_which_keeps_its_own(office, exported):
    office.prepare().control.open(str(exported))
    office.do()
    n_before = office.session.model_summary.n_samples
    office.control.fit()
    office.do()
    assert office.session.model_summary.n_samples == n_before + len(
        office.session.enrolment.samples
    )
    office.control.fit()
    assert office.jobs == []
    assert "contains all takes" in office.told[-1]
