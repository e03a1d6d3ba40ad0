"""Complete evaluations with the real detector, network and models."""

import errno
import os
import shutil
import warnings
from dataclasses import replace

import numpy as np
import pytest

from app.evaluation import dataset, extraction, notes, runner
from app.evaluation.protocols.types import ProtocolError
from app.evaluation.runner import run
from app.vision.quality import Limits
from lmkl_core.baselines import METHODS
from lmkl_core.errors import InvalidInputError
from tests.app.evaluation.example_layouts import (
    DATABASE,
    N_FRAMES,
    assert_equal,
    each,
    options,
    picture_of_noise,
    together,
    without_development,
)


def with_plans(layout, *plans):
    return replace(layout, folds=(replace(layout.folds[0], plans=plans),))


@pytest.fixture
def layout(recorded):
    return together(recorded)


@pytest.fixture
def plan(layout):
    return layout.folds[0].plans[0]


@pytest.fixture(scope="module")
def whole(recorded, prepared, tmp_path_factory):
    """Return an evaluation of one model for both people."""
    folder = tmp_path_factory.mktemp("whole") / "cache"
    shutil.copytree(prepared, folder)
    return run(together(recorded), DATABASE, options(folder))


def test_that_every_test_frame_is_in_the_table_of_every_method(whole, plan):
    for method in whole.methods:
        assert method.failure == ""
        (fold,) = method.folds
        assert len(fold.frames) == N_FRAMES * len(plan.test)
        assert set(fold.frames.species.tolist()) == {"", "phone"}
        assert sorted(set(fold.frames.subjects.tolist())) == ["P001", "P002"]
        table, _ = fold.at("presentation")
        assert table.presentations.tolist() == [each.name for each in plan.test]
        assert fold.n_train == N_FRAMES * len(plan.train)
    assert whole.counts["train bona fide recordings"] == 4
    assert whole.counts["test attack recordings"] == 2
    assert whole.counts["development bona fide frames"] == 2 * N_FRAMES
    assert "train attack recordings" not in whole.counts


def test_that_rows_are_in_the_order_of_the_papers_tables(layout, cache):
    request = options(cache, methods=("localised-mkl", "single", "md"), selection="none")
    names = [method.method for method in run(layout, DATABASE, request).methods]
    assert names[0] == "md"
    assert names[-1] == "localised-mkl"
    assert all(name.startswith("single:") for name in names[1:-1])
    assert len(names) == 2 + 4  # the preset has four views


def test_that_a_failed_method_keeps_its_row_and_is_tried_again_next_time(
    layout, cache, monkeypatch
):
    class Broken(METHODS["md"].estimator):
        def fit(self, X, y=None, **named):
            raise RuntimeError("The solver gave up")

    registry = {**METHODS, "md": replace(METHODS["md"], estimator=Broken)}
    with monkeypatch.context() as patch:
        patch.setattr("app.evaluation.options.METHODS", registry)
        failed, fine = run(layout, DATABASE, options(cache)).methods
    assert (failed.failure, failed.folds) == ("RuntimeError: The solver gave up.", ())
    assert (fine.failure, len(fine.folds)) == ("", 1)
    assert run(layout, DATABASE, options(cache)).methods[0].failure == ""


def test_that_a_method_without_views_fails_alone(layout, cache, monkeypatch):
    monkeypatch.setattr(runner, "with_face_descriptors", lambda preset: preset)
    request = options(cache, methods=("lbp-nn", "md"), n_frames=1)
    lbp, md = run(layout, DATABASE, request).methods
    assert "no lbp views" in lbp.failure
    assert md.failure == ""


def test_that_views_made_for_some_methods_serve_all(layout, cache, calls):
    for methods in (("localised-mkl",), ("lbp-nn", "iqm-ocsvm")):
        request = options(cache, methods=methods, selection="none")
        found = run(layout, DATABASE, request).methods
        assert [method.failure for method in found] == [""] * len(methods)
    assert not calls


def test_that_there_is_no_threshold_at_equal_errors_without_development_data(layout, cache):
    request = options(cache, threshold="eer", selection="development")
    for method in run(without_development(layout), DATABASE, request).methods:
        (fold,) = method.folds
        assert fold.threshold.value is None
        assert len(fold.frames.bona_fide)
    assert any("bona fide training frames alone" in note for note in fold.notes)
    assert fold.parameters[""].keys() == {"delta", "p", "q"}


def test_that_plans_of_a_fold_are_pooled_by_their_own_thresholds(recorded, cache):
    layout = each(recorded)
    request = options(cache, methods=("md",))
    pooled = run(layout, DATABASE, request).methods[0].folds[0]
    alone = [
        run(with_plans(layout, plan), DATABASE, request).methods[0].folds[0]
        for plan in layout.folds[0].plans
    ]
    assert alone[0].threshold.value != alone[1].threshold.value
    for level in ("frame", "presentation"):
        table, threshold = pooled.at(level)
        assert threshold.value == 0.0
        parts = [part.at(level) for part in alone]
        assert np.array_equal(
            table.scores, np.concatenate([t.scores - at.value for t, at in parts])
        )
    assert pooled.n_train == sum(part.n_train for part in alone)
    assert pooled.frames.presentations[0].startswith("P001: ")


def test_that_scores_of_several_models_have_a_common_zero_without_a_threshold(recorded, cache):
    layout = without_development(each(recorded))
    without, own = (
        run(layout, DATABASE, options(cache, methods=("md",), threshold=rule)).methods[0].folds[0]
        for rule in ("eer", "enrolment")
    )
    for level in ("frame", "presentation"):
        (table, threshold), (expected, zero) = without.at(level), own.at(level)
        assert (threshold.value, zero.value) == (None, 0.0)
        assert np.array_equal(table.scores, expected.scores)


def test_that_training_frames_are_thinned_out(layout, cache, monkeypatch):
    for module in (dataset, notes):
        monkeypatch.setattr(module, "MAX_TRAIN", 6)
    evaluation = run(layout, DATABASE, options(cache, methods=("md",)))
    assert evaluation.methods[0].folds[0].n_train == 6
    assert any("6 per model, from up to 16" in note for note in evaluation.notes)


def test_that_progress_of_every_part_goes_from_zero_to_its_total(recorded, tmp_path):
    steps = []
    run(
        each(recorded),
        DATABASE,
        options(tmp_path, methods=("md",), n_frames=2),
        progress=lambda *step: steps.append(step),
    )
    views = [(done, total) for done, total, text in steps if text.startswith("Making views")]
    assert views[0] == (0, 12 * 2)
    assert views[-1] == (12 * 2, 12 * 2)
    assert [done for done, _ in views] == sorted(done for done, _ in views)
    fits = [(done, total) for done, total, text in steps if text.startswith("Fitting")]
    assert fits == [(0, 2), (1, 2), (2, 2)]


def test_that_an_unreadable_recording_is_a_non_response(layout, plan, cache, tmp_path):
    broken = tmp_path / "broken.avi"
    broken.write_bytes(b"no video at all")
    unreadable = replace(plan.test[0], reader=replace(plan.test[0].reader, path=broken))
    layout = with_plans(layout, replace(plan, test=(unreadable, *plan.test[1:])))
    evaluation = run(layout, DATABASE, options(cache, methods=("md",)))
    table, _ = evaluation.methods[0].folds[0].at("presentation")
    assert np.isnan(table.scores[0])
    assert table.n_bona_fide_without == 1
    assert any("could not be read" in note and unreadable.name in note for note in evaluation.notes)


def test_that_a_person_who_cannot_be_enrolled_does_not_affect_others(recorded, cache, tmp_path):
    layout = each(recorded)
    first, other = layout.folds[0].plans
    first = replace(first, train=(picture_of_noise(tmp_path / "wall.png"),))
    request = options(cache, methods=("md",))
    evaluation = run(with_plans(layout, first, other), DATABASE, request)
    assert any(note.startswith("P001 could not be enrolled") for note in evaluation.notes)
    counts = evaluation.counts
    n_frames = counts["train bona fide frames"]
    assert n_frames == 1 + 2 * N_FRAMES
    assert counts["train bona fide frames with views"] == n_frames - 1
    (fold,) = evaluation.methods[0].folds
    (alone,) = run(with_plans(layout, other), DATABASE, request).methods[0].folds
    for level in ("frame", "presentation"):
        table, threshold = fold.at(level)
        expected, at = alone.at(level)
        lost = np.char.startswith(table.presentations, "P001: ")
        assert np.isnan(table.scores[lost]).all()
        assert np.array_equal(table.scores[~lost], expected.scores - at.value)
        assert threshold.value == 0.0
        assert "for each of 1 model;" in threshold.origin
    table, _ = fold.at("presentation")
    assert (table.n_bona_fide_without, table.n_attacks_without) == (1, {"phone": 1})


def test_that_the_gate_turns_refused_frames_into_non_responses(layout, cache, monkeypatch):
    monkeypatch.setattr(extraction, "Limits", lambda: Limits(min_size=10_000.0))
    request = options(cache, methods=("md",), gate=True)
    evaluation = run(layout, DATABASE, request)
    assert evaluation.methods[0].failure.startswith("There are 0 training frames")
    assert any("Come closer." in note for note in evaluation.notes)
    ungated = run(layout, DATABASE, replace(request, gate=False))
    assert ungated.methods[0].failure == ""


def test_that_the_gate_is_on_for_own_recordings_by_default(layout, cache):
    for database, gate, is_on in (
        ("plain", None, True),
        ("replay-attack", None, False),
        ("plain", False, False),
        ("replay-attack", True, True),
    ):
        request = options(cache, methods=("md",), selection="none", gate=gate)
        settings = run(replace(layout, database=database), DATABASE, request).settings
        assert settings["quality gate"].startswith("none") != is_on, (database, gate)


def test_that_layouts_without_meaningful_figures_are_refused(layout, plan, cache, calls):
    attack = next(each for each in plan.development if each.is_attack)
    rest = tuple(each for each in plan.development if each is not attack)
    trained = with_plans(layout, replace(plan, train=(*plan.train, attack), development=rest))
    cases = {"is an attack in train": trained}
    for part in ("train", "development"):
        leak = replace(plan, test=(*plan.test, getattr(plan, part)[0]))
        cases[f"both in {part} and in test"] = with_plans(layout, leak)
    for why, wrong in cases.items():
        with pytest.raises(ProtocolError, match=why):
            run(wrong, DATABASE, options(cache))
    assert not calls


def test_that_copies_of_known_recordings_in_the_test_are_reported(layout, plan, cache):
    for part in ("train", "development"):
        copy = replace(getattr(plan, part)[0], name="copied.avi")
        wrong = with_plans(layout, replace(plan, test=(*plan.test, copy)))
        notes = run(wrong, DATABASE, options(cache, methods=("md",))).notes
        assert any("is a copy" in note and "copied.avi" in note for note in notes)


def test_that_scores_do_not_depend_on_the_classes_of_test_recordings(whole, layout, plan, cache):
    swapped = tuple(
        replace(each, species="bona fide" if each.is_attack else "phone") for each in plan.test
    )
    layout = with_plans(layout, replace(plan, test=swapped))
    other = run(layout, DATABASE, options(cache))
    for method, expected in zip(other.methods, whole.methods, strict=True):
        here, there = method.folds[0], expected.folds[0]
        assert here.parameters == there.parameters
        assert here.threshold == there.threshold
        assert here.presentation_threshold == there.presentation_threshold
        assert np.array_equal(here.frames.scores, there.frames.scores)
        assert here.frames.species.tolist() != there.frames.species.tolist()


def test_that_mapped_views_give_the_same_result(whole, layout, cache, monkeypatch):
    monkeypatch.setattr(dataset, "MAPPED", 1)
    assert_equal(run(layout, DATABASE, options(cache)), whole)
    assert not list(cache.rglob(".views-*"))


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="the system cannot reserve space")
def test_that_disk_space_for_mapped_views_is_reserved(tmp_path):
    dataset._allocate(tmp_path / "views.npy", (256, 4096))
    status = (tmp_path / "views.npy").stat()
    assert status.st_blocks * 512 >= status.st_size > 4 * 256 * 4096


def test_that_a_full_disk_is_reported(layout, cache, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(dataset, "MAPPED", 1)
    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(InvalidInputError, match="No space left on device"):
        run(layout, DATABASE, options(cache))
    assert not list(cache.rglob(".views-*"))


def test_that_warnings_of_a_fit_become_notes(layout, cache):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        request = options(cache, methods=("autoencoder",), selection="none")
        evaluation = run(layout, DATABASE, request)
    assert any("auto-encoder" in note for note in evaluation.methods[0].folds[0].notes)
