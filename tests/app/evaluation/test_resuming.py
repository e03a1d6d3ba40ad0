"""Interrupted runs resume, and cached results are reused only where they apply."""

import ast
import shutil
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from app.evaluation import task
from app.evaluation.runner import run
from lmkl_core.errors import Cancelled
from tests.app.evaluation.example_layouts import (
    DATABASE,
    N_FRAMES,
    assert_equal,
    changed,
    each,
    options,
)

N_RECORDINGS = 12
METHODS = ("md", "nn", "lpq-mkl")


@pytest.fixture(scope="module")
def uninterrupted(recorded, prepared, tmp_path_factory):
    folder = tmp_path_factory.mktemp("uninterrupted") / "cache"
    shutil.copytree(prepared, folder)
    return run(each(recorded), DATABASE, options(folder, methods=METHODS))


@pytest.fixture
def worked(monkeypatch):
    tasks = []
    work = task.work

    def counted(number, row, *rest):
        tasks.append(row.key)
        return work(number, row, *rest)

    monkeypatch.setattr(task, "work", counted)
    return tasks


class CancelAfterFits:
    """Cancels a run after some fits."""

    def __init__(self, count):
        self.count, self.done = count, 0

    def progress(self, done, total, text):
        if text.startswith("Fitting"):
            self.done = done

    def cancel(self):
        return self.done >= self.count


def test_that_finished_recordings_are_not_processed_again(recorded, tmp_path, calls, uninterrupted):
    count = 3 * N_FRAMES + 2  # in the middle of the fourth recording
    request = options(tmp_path, methods=METHODS)
    with pytest.raises(Cancelled):
        run(each(recorded), DATABASE, request, cancel=lambda: len(calls) >= count)
    assert len(calls) == count
    entries = list((tmp_path / "features").rglob("*"))
    finished = [path for path in entries if path.suffix == ".safetensors"]
    assert len(finished) == count // N_FRAMES
    assert not [path for path in entries if path.is_file() and path not in finished]
    calls.clear()
    assert_equal(run(each(recorded), DATABASE, request), uninterrupted)
    assert len(calls) == N_FRAMES * (N_RECORDINGS - count // N_FRAMES)


def test_that_finished_models_are_not_computed_again(recorded, cache, worked, uninterrupted):
    request = options(cache, methods=METHODS)
    stop = CancelAfterFits(4)
    with pytest.raises(Cancelled):
        run(each(recorded), DATABASE, request, progress=stop.progress, cancel=stop.cancel)
    assert len(list((cache / "outcomes").rglob("*.safetensors"))) == 4
    worked.clear()
    assert_equal(run(each(recorded), DATABASE, request), uninterrupted)
    assert len(worked) == 2


@pytest.mark.fault("Process and disk", "an evaluation interrupted and resumed", keeps="models")
def test_that_a_run_in_several_processes_can_be_interrupted(recorded, cache, uninterrupted):
    request = options(cache, methods=METHODS, n_jobs=2)
    stop = CancelAfterFits(1)
    with pytest.raises(Cancelled):
        run(each(recorded), DATABASE, request, progress=stop.progress, cancel=stop.cancel)
    assert not list(cache.rglob(".views-*"))
    assert_equal(run(each(recorded), DATABASE, request), uninterrupted, exactly=False)


@pytest.mark.fault("Process and disk", "Ctrl-C during an evaluation", keeps="files")
def test_that_ctrl_c_leaves_no_half_written_file(recorded, tmp_path, calls, uninterrupted):
    def interrupted():
        if len(calls) >= 6:
            raise KeyboardInterrupt
        return False

    request = options(tmp_path, methods=METHODS)
    with pytest.raises(KeyboardInterrupt):
        run(each(recorded), DATABASE, request, cancel=interrupted)
    assert len(list((tmp_path / "features").rglob("*.safetensors"))) == 1
    assert_equal(run(each(recorded), DATABASE, request), uninterrupted)


def test_that_a_second_run_computes_nothing_even_for_another_threshold(
    recorded, cache, calls, worked, uninterrupted
):
    request = options(cache, methods=METHODS)
    run(each(recorded), DATABASE, request)
    calls.clear()
    worked.clear()
    assert_equal(run(each(recorded), DATABASE, request), uninterrupted)
    other = run(each(recorded), DATABASE, options(cache, methods=METHODS, threshold="given:0.25"))
    assert "given" in other.methods[0].folds[0].threshold.origin
    assert not calls
    assert not worked


def test_that_options_that_change_scores_do_not_share_outcomes(recorded, cache, worked):
    changes = {"seed": 1, "selection": "none", "grid": "paper"}
    request = options(cache, methods=("md", "fusion"))
    run(each(recorded), DATABASE, request)
    for name, value in changes.items():
        worked.clear()
        run(each(recorded), DATABASE, replace(request, **{name: value}))
        assert len(worked) == 4, name


def test_that_scores_stay_with_their_recordings(recorded, cache):
    request = options(cache, methods=("md",))
    (fold,) = run(each(recorded), DATABASE, request).methods[0].folds
    backwards = changed(each(recorded), test=lambda recordings: recordings[::-1])
    (other,) = run(backwards, DATABASE, request).methods[0].folds
    for level in ("frame", "presentation"):
        one, two = (found.at(level)[0] for found in (fold, other))
        assert one.presentations.tolist() != two.presentations.tolist()
        for name in set(one.presentations):
            assert np.array_equal(
                one.scores[one.presentations == name], two.scores[two.presentations == name]
            )


def test_that_outcomes_depend_on_the_classes_of_development_recordings_only(
    recorded, cache, worked
):
    request = options(cache, methods=("nn",))
    run(each(recorded), DATABASE, request)
    worked.clear()

    def swapped(recordings):
        return tuple(
            replace(one, species=other.species)
            for one, other in zip(recordings, recordings[::-1], strict=True)
        )

    run(changed(each(recorded), test=swapped), DATABASE, request)
    assert not worked
    run(changed(each(recorded), development=swapped), DATABASE, request)
    assert worked == ["nn", "nn"]


def test_that_damaged_outcomes_are_computed_again(recorded, cache, worked, uninterrupted):
    request = options(cache, methods=METHODS)
    run(each(recorded), DATABASE, request)
    paths = sorted((cache / "outcomes").rglob("*.safetensors"))
    paths[0].write_bytes(paths[0].read_bytes()[:-8])
    paths[1].write_bytes(paths[2].read_bytes())
    worked.clear()
    assert_equal(run(each(recorded), DATABASE, request), uninterrupted)
    assert len(worked) == 2


PLUMBING = {
    "app.evaluation.extraction",
    "app.evaluation.result",
    "app.logs",
    "app.models.summary",
    "app.evaluation.protocols.recordings",
    "app.evaluation.protocols.types",
    "app.storage",
    "app.vision.quality",
    "app.types",
}
"""Modules that pass rows and scores on without deciding any, or whose values are in a key."""


def test_that_the_key_of_scores_covers_all_code_that_decides_them():
    covered = {
        f"{package}.{name.removesuffix('.py')}"
        for package, names in task._HASHED_FILES.items()
        for name in names
    }
    for module in covered:
        tree = ast.parse(Path(find_spec(module).origin).read_text(encoding="utf-8"))
        imported = {
            node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module.startswith("app")
        }
        assert imported <= covered | PLUMBING, module
