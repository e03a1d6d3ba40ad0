"""Fitting, extending, exporting and opening models, with results that come late or fail."""

import pytest

from app.models.files import Export
from app.qt.controllers.model import ModelController
from app.session.session import Session
from app.settings import Settings
from tests.qt.driving import recorded


class Bench:
    """A controller whose jobs the test runs, on this thread."""

    def __init__(self, samples, features):
        self.session = Session(Settings(preset="tiny"))
        self.session.enrolment.samples = samples
        self.controller = controller = ModelController(self.session)
        self.features = features
        self.jobs, self.notices = recorded(controller.job_requested), recorded(controller.notice)
        self.opened, self.missing = recorded(controller.opened), recorded(controller.missing)
        self.fitting = recorded(controller.fitting_changed)

    def prepare(self):
        self.controller.on_prepared(self.features)
        return self

    def do(self):
        """Run the job that was requested first."""
        job = self.jobs.pop(0)
        try:
            result = job.work(lambda: False)
        except Exception as error:
            job.on_failed(str(error))
        else:
            job.on_done(result)


@pytest.fixture
def bench(qapp, samples, model):
    return Bench(samples, model.features)


def test_that_a_fit_of_enough_frames_uses_them_all(bench, samples, qtbot):
    bench.controller.fit()
    assert "not ready yet" in bench.notices[0].text
    bench.prepare().session.enrolment.samples = ()
    bench.controller.fit()
    assert "Record a take first" in bench.notices[1].text
    assert bench.jobs == []
    bench.session.enrolment.samples = samples
    with qtbot.waitSignal(bench.controller.fitted):
        bench.controller.fit()
        bench.do()
    assert bench.fitting == [True, False]
    assert bench.session.enrolment.unmodelled == ()
    assert bench.session.has_unsaved_model


def test_that_a_cancelled_fit_changes_nothing(bench):
    bench.prepare().controller.fit()
    bench.controller.fit()  # one at a time
    (job,) = bench.jobs
    assert job.can_cancel
    job.on_cancelled()
    assert bench.session.model is None
    assert "cancelled" in bench.notices[-1].text
    bench.controller.fit()  # another fit may start
    assert len(bench.jobs) == 2


def test_that_the_result_of_a_fit_is_dropped_after_the_model_was_discarded(bench):
    bench.prepare().controller.fit()
    bench.controller.discard()
    bench.do()
    assert bench.session.model is None


def test_that_a_take_is_added_to_the_model_in_use_by_then(bench, samples):
    lamp = tuple(sample for sample in samples if sample.take == "lamp")
    bench.session.enrolment.samples = tuple(s for s in samples if s.take == "window")
    bench.prepare().controller.fit()
    bench.do()
    bench.session.enrolment.samples += lamp
    bench.controller.set_target(0.2)
    bench.controller.fold_in("lamp")
    bench.do()
    bench.do()  # it extended the model before: again, with the model in use
    bench.do()
    model = bench.session.model
    assert model.estimator.calibration_.target_bpcer == 0.2
    assert bench.session.model_summary.n_samples == len(samples)
    assert bench.session.enrolment.unmodelled == ()


def test_that_an_exported_model_counts_as_saved_unless_it_changed_meanwhile(bench, tmp_path, qtbot):
    bench.prepare().controller.fit()
    bench.do()
    path = tmp_path / "face.safetensors"
    bench.controller.export(str(path))
    assert not bench.jobs[0].can_cancel
    with qtbot.waitSignal(bench.controller.exported) as exported:
        bench.do()
    assert isinstance(exported.args[0], Export)
    assert not bench.session.has_unsaved_model
    assert bench.opened == [str(path)]
    assert exported.args[0].statement in bench.notices[-1].text
    bench.controller.set_target(0.2)
    bench.controller.export(str(path))
    bench.do()
    bench.do()
    assert bench.session.has_unsaved_model


def test_that_a_model_is_opened_once_the_views_are_known_and_stays_with_them(bench, exported):
    bench.controller.open(str(exported))
    assert bench.jobs == []
    bench.prepare().do()
    assert bench.session.model.path == str(exported)
    assert bench.opened == [str(exported)]
    bench.prepare()  # the same views again
    assert bench.session.model is not None


def test_that_only_a_file_that_is_gone_is_reported_as_missing(bench, tmp_path):
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(b"no model")
    gone = str(tmp_path / "gone.safetensors")
    bench.prepare()
    for path in (str(damaged), gone):
        bench.controller.open(path)
        bench.do()
    assert bench.missing == [gone]
    assert bench.session.model is None


def test_that_new_takes_extend_an_imported_model(bench, exported):
    bench.prepare().controller.open(str(exported))
    bench.do()
    n_before = bench.session.model_summary.n_samples
    bench.controller.fit()
    bench.do()
    assert bench.session.model_summary.n_samples == n_before + len(bench.session.enrolment.samples)
    bench.controller.fit()
    assert bench.jobs == []
    assert "all takes" in bench.notices[-1].text
