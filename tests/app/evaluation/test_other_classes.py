"""Parameters chosen on other classes: which images are used, and which never are."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from app.evaluation.options import Options
from app.evaluation.protocols.recordings import FileReader
from app.evaluation.protocols.splits import Database
from app.evaluation.protocols.types import Fold, Layout, Plan, Recording
from app.evaluation.runner import run
from app.evaluation.selection import others_of, remarks_on_others
from tests.app.evaluation.example_layouts import changed

CLASSES = ("ball", "cup", "kite", "lamp", "shoe")


def images(name, count, species="bona fide", start=0):
    return tuple(
        Recording(f"{name}/{number}.png", name, species, FileReader(None))
        for number in range(start, start + count)
    )


def plans(novel_of_others=False):
    """Return plans of one class against the rest.

    They are tested on images that no class learns from or, with ``novel_of_others``, on all.
    """
    found = []
    for name in CLASSES:
        novel = tuple(
            each
            for other in CLASSES
            if other != name
            for each in images(
                other, 12 if novel_of_others else 2, "novel", start=0 if novel_of_others else 10
            )
        )
        found.append(Plan(name, images(name, 8), (), images(name, 4, start=8) + novel))
    return found


def test_that_only_training_images_of_other_classes_are_used():
    for plan in plans():
        problems = others_of(plan, plans())
        assert len(problems) == 3
        learnable = {each.name for other in plans() for each in other.train}
        for problem in problems:
            used = (*problem.train, *problem.development)
            assert plan.name not in {each.subject for each in used}
            assert {each.name for each in used} <= learnable
            assert not {each.name for each in used} & {each.name for each in plan.test}


def test_that_problems_have_genuine_and_novel_images_apart_from_training():
    for problem in others_of(plans()[0], plans()):
        assert all(not each.is_attack and each.subject == problem.name for each in problem.train)
        genuine = [each for each in problem.development if not each.is_attack]
        novel = [each for each in problem.development if each.is_attack]
        assert {each.subject for each in genuine} == {problem.name}
        assert problem.name not in {each.subject for each in novel}
        assert not {each.name for each in problem.train} & {e.name for e in problem.development}
        assert len(genuine) == 4
        assert len(novel) == 8


def test_that_images_that_are_also_tested_are_reported():
    every = plans(novel_of_others=True)
    problems = [others_of(plan, every) for plan in every]
    assert all(len(each) == 3 for each in problems)
    assert len(remarks_on_others(every, problems)) == 2
    apart = plans()
    assert len(remarks_on_others(apart, [others_of(plan, apart) for plan in apart])) == 1


def test_that_images_that_are_not_tested_are_preferred():
    # Half of the training images of other classes are presented to the target's model.
    target, *rest = plans()
    presented = tuple(replace(each, species="novel") for other in rest for each in other.train[:4])
    target = replace(target, test=target.test + presented)
    problems = others_of(target, [target, *rest])
    used = {e.name for problem in problems for e in (*problem.train, *problem.development)}
    assert len(problems) == 3
    assert used
    assert not used & {each.name for each in target.test}
    assert len(remarks_on_others([target], [problems])) == 1


def test_that_too_few_classes_give_no_problem():
    two = plans()[:2]
    assert others_of(two[0], two) == ()
    assert remarks_on_others(two, [(), ()]) == []


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """Return a layout of small pictures: coloured noise with a grain per class."""
    folder = tmp_path_factory.mktemp("objects")
    rng = np.random.default_rng(0)
    for number, name in enumerate(CLASSES):
        (folder / name).mkdir()
        for image in range(12):
            size = 4 * 2**number
            small = rng.integers(0, 255, (size, size, 3), dtype=np.uint8)
            picture = cv2.resize(small, (128, 128), interpolation=cv2.INTER_CUBIC)
            cv2.imwrite(str(folder / name / f"{image}.png"), picture)

    def found(images):
        return tuple(replace(each, reader=FileReader(folder / each.name)) for each in images)

    folds = tuple(Fold(plan.name, (plan,)) for plan in plans())
    layout = Layout("objects", "Objects", "", "one-against-rest", folds)
    return changed(layout, train=found, test=found)


PRESET = """
name = "whole"
description = "One network on whole pictures."

[crops.image]
of = "image"
size = 128

[[branches]]
network = "efficientnet-lite0"
crops = ["image"]
layers = ["block2", "block4"]
pooling = "std"
photometry = "none"
normalisation = "l2"
"""


def test_that_objects_need_no_face_and_use_other_classes_for_parameters(objects, tmp_path):
    preset = tmp_path / "whole.toml"
    preset.write_text(PRESET)
    database = Database("objects", "Objects", gather=None, preset=str(preset))
    options = Options(methods=("localised-mkl", "md"), n_frames=1, grid="small", cache=tmp_path)
    evaluation = run(objects, database, options)
    assert "face detector" not in evaluation.settings
    assert any("other classes" in note for note in evaluation.notes)
    ours = evaluation.methods[-1]
    assert ours.failure == ""
    assert [fold.fold for fold in ours.folds] == list(CLASSES)
    for fold in ours.folds:
        assert fold.parameters[fold.fold].keys() == {"delta", "p", "q"}
        assert fold.threshold.origin.startswith("calibrated on enrolment")
        assert len(fold.frames) == 4 + 8
        table, _ = fold.at("presentation")
        assert len(table) == len(fold.frames)
    # Other test images do not change the chosen parameters.
    fewer = changed(objects, test=lambda images: images[1:-1])
    again = run(fewer, database, options).methods[-1]
    assert [f.parameters for f in again.folds] == [f.parameters for f in ours.folds]
