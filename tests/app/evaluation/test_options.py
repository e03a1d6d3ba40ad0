import pytest

from app.evaluation.options import Options, ThresholdRule
from lmkl_core.errors import InvalidInputError


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("auto", ThresholdRule("auto")),
        ("eer", ThresholdRule("eer")),
        ("enrolment", ThresholdRule("enrolment")),
        ("bpcer:0.05", ThresholdRule("bpcer", 0.05)),
        ("bpcer:0", ThresholdRule("bpcer", 0.0)),
        ("given:-1.5", ThresholdRule("given", -1.5)),
    ],
)
def test_that_thresholds_are_read_as_written_on_the_command_line(text, rule):
    assert Options(threshold=text).rule == rule


@pytest.mark.parametrize(
    "text", ["", "EER", "eer:1", "bpcer", "bpcer:5", "bpcer:-0.1", "bpcer:x", "given:", "given:inf"]
)
def test_that_other_thresholds_are_refused(text):
    with pytest.raises(InvalidInputError, match=r"is unknown: take auto, eer, enrolment, bpcer"):
        Options(threshold=text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("selection", "test"),
        ("grid", "huge"),
        ("level", "video"),
        ("n_frames", 0),
        ("n_frames", 2.5),
        ("n_frames", True),
        ("max_train", 1),
        ("seed", -1),
        ("n_jobs", 0),
        ("n_jobs", "all"),
    ],
)
def test_that_what_makes_no_sense_is_refused_by_name(name, value):
    with pytest.raises(InvalidInputError, match=f"^{name}="):
        Options(**{name: value})


def test_that_one_name_in_place_of_several_is_refused():
    with pytest.raises(InvalidInputError, match="sequence of names"):
        Options(methods="md")


def test_that_methods_named_twice_count_once():
    assert Options(methods=["md", "nn", "md"]).methods == ("md", "nn")
