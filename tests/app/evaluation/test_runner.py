"""Whole evaluations on real recordings: real detector, real network, real models."""

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


@pytest.fixture(scope="module")
def whole(recorded, prepared, tmp_path_factory):
    """Return one model for both people, in one go."""
    folder = tmp_path_factory.mktemp("whole") / "cache"
    shutil.copytree(prepared, folder)
    return run(together(recorded), DATABASE, options(folder))


def test_that_every_test_frame_is_in_every_methods_table(whole, recorded):
    (plan,) = together(recorded).folds[0].plans
    for method in whole.methods:
        assert method.failure == ""
        (fold,) = method.folds
        assert len(fold.frames) == N_FRAMES * len(plan.test)
        assert set(fold.frames.species.tolist()) == {"", "phone"}
        assert sorted(set(fold.frames.subjects.tolist())) == ["P001", "P002"]
        table, _ = fold.at("presentation")
        assert table.presentations.tolist() == [each.name for each in plan.test]
        assert fold.n_train == N_FRAMES * len(plan.train)


def test_that_rows_stand_in_the_order_of_the_papers_tables(recorded, cache):
    asked = options(cache, methods=("localised-mkl", "single", "md"), selection="none")
    names = [method.method for method in run(together(recorded), DATABASE, asked).methods]
    assert names[0] == "md"
    assert names[-1] == "localised-mkl"
    assert all(name.startswith("single:") for name in names[1:-1])
    assert len(names) == 2 + 4  # the preset has four views


def test_that_recordings_and_frames_are_counted_by_split_and_kind(whole):
    assert whole.counts["train bona fide recordings"] == 4
    assert whole.counts["test attack recordings"] == 2
    assert whole.counts["development bona fide frames"] == 2 * N_FRAMES
    assert "train attack recordings" not in whole.counts


def test_that_a_method_that_fails_is_a_row_with_the_reason_and_tried_again_next_time(
    recorded, cache, monkeypatch
):
    class Broken(METHODS["md"].estimator):
        def fit(self, X, y=None, **named):
            raise RuntimeError("The solver gave up")

    registry = {**METHODS, "md": replace(METHODS["md"], estimator=Broken)}
    with monkeypatch.context() as patch:
        patch.setattr("app.evaluation.options.METHODS", registry)
        failed, fine = run(together(recorded), DATABASE, options(cache)).methods
    assert (failed.failure, failed.folds) == ("RuntimeError: The solver gave up.", ())
    assert (fine.failure, len(fine.folds)) == ("", 1)
    assert run(together(recorded), DATABASE, options(cache)).methods[0].failure == ""


def test_that_a_method_without_views_of_its_own_is_a_row_with_the_reason(
    recorded, cache, monkeypatch
):
    monkeypatch.setattr(runner, "with_face_descriptors", lambda preset: preset)
    asked = options(cache, methods=("lbp-nn", "md"), n_frames=1)
    lbp, md = run(together(recorded), DATABASE, asked).methods
    assert lbp.failure == "There are no lbp views for it: choose another preset."
    assert md.failure == ""


def test_that_views_made_for_some_methods_serve_all_others(recorded, cache, calls):
    for methods in (("localised-mkl",), ("lbp-nn", "iqm-ocsvm")):
        asked = options(cache, methods=methods, selection="none")
        found = run(together(recorded), DATABASE, asked).methods
        assert [method.failure for method in found] == [""] * len(methods)
    assert not calls


def test_that_equal_errors_without_development_data_are_told_to_be_missing(recorded, cache):
    layout = without_development(together(recorded))
    asked = options(cache, threshold="eer", selection="development")
    for method in run(layout, DATABASE, asked).methods:
        (fold,) = method.folds
        assert fold.threshold.value is None
        assert "no bona fide presentation" in fold.threshold.origin
        assert len(fold.frames.bona_fide)
    assert any("bona fide training frames alone" in note for note in fold.notes)
    assert fold.parameters[""].keys() == {"delta", "p", "q"}


def test_that_plans_of_a_fold_are_pooled_by_their_own_thresholds(recorded, cache):
    layout = each(recorded)
    asked = options(cache, methods=("md",))
    pooled = run(layout, DATABASE, asked).methods[0].folds[0]
    alone = [
        run(with_plans(layout, plan), DATABASE, asked).methods[0].folds[0]
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


def test_that_scores_of_several_models_have_a_common_zero_even_without_a_threshold(recorded, cache):
    layout = without_development(each(recorded))
    without, own = (
        run(layout, DATABASE, options(cache, methods=("md",), threshold=rule)).methods[0].folds[0]
        for rule in ("eer", "enrolment")
    )
    for level in ("frame", "presentation"):
        (table, threshold), (expected, zero) = without.at(level), own.at(level)
        assert (threshold.value, zero.value) == (None, 0.0)
        assert np.array_equal(table.scores, expected.scores)


def test_that_training_frames_are_thinned_out_evenly_and_that_it_is_told(
    recorded, cache, monkeypatch
):
    for module in (dataset, notes):
        monkeypatch.setattr(module, "MAX_TRAIN", 6)
    asked = options(cache, methods=("md",))
    evaluation = run(together(recorded), DATABASE, asked)
    assert evaluation.methods[0].folds[0].n_train == 6
    assert any("thinned out evenly to 6 a model, from up to 16" in n for n in evaluation.notes)


def test_that_progress_begins_every_part_with_nothing_done_and_ends_it_complete(recorded, tmp_path):
    told = []
    run(
        each(recorded),
        DATABASE,
        options(tmp_path, methods=("md",), n_frames=2),
        progress=lambda done, total, text: told.append((done, total, text)),
    )
    views = [(done, total) for done, total, text in told if text.startswith("Making views")]
    assert views[0] == (0, 12 * 2)
    assert views[-1] == (12 * 2, 12 * 2)
    assert [done for done, _ in views] == sorted(done for done, _ in views)
    fits = [(done, total) for done, total, text in told if text.startswith("Fitting")]
    assert fits == [(0, 2), (1, 2), (2, 2)]


def test_that_an_unreadable_recording_is_a_non_response(recorded, cache, tmp_path):
    layout = together(recorded)
    (plan,) = layout.folds[0].plans
    broken = tmp_path / "broken.avi"
    broken.write_bytes(b"no video at all")
    victim = replace(plan.test[0], reader=replace(plan.test[0].reader, path=broken))
    plan = replace(plan, test=(victim, *plan.test[1:]))
    layout = with_plans(layout, plan)
    evaluation = run(layout, DATABASE, options(cache, methods=("md",)))
    table, _ = evaluation.methods[0].folds[0].at("presentation")
    assert np.isnan(table.scores[0])
    assert table.n_bona_fide_without == 1
    assert any("could not be read" in note and victim.name in note for note in evaluation.notes)


@pytest.fixture
def wall(tmp_path):
    return picture_of_noise(tmp_path / "wall.png")


def test_that_who_cannot_be_enrolled_gets_no_response_and_spoils_no_other(recorded, cache, wall):
    layout = each(recorded)
    one, other = layout.folds[0].plans
    asked = options(cache, methods=("md",))
    evaluation = run(with_plans(layout, replace(one, train=(wall,)), other), DATABASE, asked)
    assert any(
        note.startswith("P001 could not be enrolled") and "without response" in note
        for note in evaluation.notes
    )
    counts = evaluation.counts
    n_frames = counts["train bona fide frames"]
    assert n_frames == 1 + 2 * N_FRAMES
    assert counts["train bona fide frames with views"] == n_frames - 1
    (fold,) = evaluation.methods[0].folds
    alone = run(
        with_plans(layout, other), DATABASE, asked
    ).methods[0].folds[0]  # fmt: skip
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


def test_that_nothing_is_measured_where_nobody_can_be_enrolled(recorded, cache, wall):
    layout = together(recorded)
    (plan,) = layout.folds[0].plans
    layout = with_plans(layout, replace(plan, train=(wall,)))
    (method,) = run(layout, DATABASE, options(cache, methods=("md",))).methods
    assert method.failure.startswith("There are 0 training frames with a usable face")
    assert method.folds == ()


def test_that_the_gate_turns_refused_frames_into_non_responses(recorded, cache, monkeypatch):
    from app.vision.quality import Limits

    monkeypatch.setattr(extraction, "Limits", lambda: Limits(min_size=10_000.0))
    asked = options(cache, methods=("md",), gate=True)
    evaluation = run(together(recorded), DATABASE, asked)
    assert evaluation.methods[0].failure.startswith("There are 0 training frames")
    assert any("Come closer." in note for note in evaluation.notes)
    opened = run(together(recorded), DATABASE, replace(asked, gate=False))
    assert opened.methods[0].failure == ""


def test_that_the_gate_is_for_own_recordings_unless_told_otherwise(recorded, cache):
    on, off = "refused frames are non-responses", "none: every face found is scored"
    for database, gate, told in (
        ("plain", None, on),
        ("replay-attack", None, off),
        ("plain", False, off),
        ("replay-attack", True, on),
    ):
        layout = replace(together(recorded), database=database)
        asked = options(cache, methods=("md",), selection="none", gate=gate)
        assert run(layout, DATABASE, asked).settings["quality gate"] == told


def test_that_layouts_on_which_figures_would_mean_nothing_are_refused(recorded, cache, calls):
    layout = together(recorded)
    (plan,) = layout.folds[0].plans
    attack = next(each for each in plan.development if each.is_attack)
    rest = tuple(each for each in plan.development if each is not attack)
    learnt = with_plans(layout, replace(plan, train=(*plan.train, attack), development=rest))
    cases = {"is an attack in train": learnt}
    for part in ("train", "development"):
        leak = replace(plan, test=(*plan.test, getattr(plan, part)[0]))
        cases[f"both in {part} and in test"] = with_plans(layout, leak)
    for why, wrong in cases.items():
        with pytest.raises(ProtocolError, match=why):
            run(wrong, DATABASE, options(cache))
    assert not calls


def test_that_a_copy_of_a_recording_of_another_part_in_the_test_is_told(recorded, cache):
    layout = together(recorded)
    (plan,) = layout.folds[0].plans
    for part in ("train", "development"):
        copy = replace(getattr(plan, part)[0], name="copied.avi")
        wrong = with_plans(layout, replace(plan, test=(*plan.test, copy)))
        notes = run(wrong, DATABASE, options(cache, methods=("md",))).notes
        assert any("is a copy" in note and "copied.avi" in note for note in notes)


def test_that_nothing_but_the_table_depends_on_what_test_recordings_are(whole, recorded, cache):
    layout = together(recorded)
    (plan,) = layout.folds[0].plans
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


def test_that_large_views_are_mapped_and_give_the_same(whole, recorded, cache, monkeypatch):
    monkeypatch.setattr(dataset, "MAPPED", 1)
    assert_equal(run(together(recorded), DATABASE, options(cache)), whole)
    assert not list(cache.rglob(".views-*"))


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="the system cannot reserve space")
def test_that_space_of_mapped_views_is_reserved_before_they_are_written(tmp_path):
    dataset._room(tmp_path / "views.npy", (256, 4096))
    status = (tmp_path / "views.npy").stat()
    assert status.st_blocks * 512 >= status.st_size > 4 * 256 * 4096


def test_that_views_that_find_no_room_on_disk_are_told(recorded, cache, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(dataset, "MAPPED", 1)
    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(InvalidInputError, match="No space left on device"):
        run(together(recorded), DATABASE, options(cache))
    assert not list(cache.rglob(".views-*"))


def test_that_no_warning_escapes_and_what_did_not_converge_is_told(recorded, cache):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asked = options(cache, methods=("autoencoder",), selection="none")
        evaluation = run(together(recorded), DATABASE, asked)
    assert any("auto-encoder" in note for note in evaluation.methods[0].folds[0].notes)
