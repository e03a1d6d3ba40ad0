import pytest

from app.evaluation.options import Options, ThresholdRule
from lmkl_core.errors import InvalidInputError


def test_that_threshold_rules_are_parsed():
    rules = {
        "auto": ("auto",),
        "eer": ("eer",),
        "enrolment": ("enrolment",),
        "bpcer:0.05": ("bpcer", 0.05),
        "bpcer:0": ("bpcer", 0.0),
        "given:-1.5": ("given", -1.5),
    }
    for text, rule in rules.items():
        assert Options(threshold=text).rule == ThresholdRule(*rule)
    invalid = ("", "EER", "eer:1", "bpcer", "bpcer:5", "bpcer:1", "bpcer:-0.1", "bpcer:x", "given:")
    for text in (*invalid, "given:inf"):
        with pytest.raises(InvalidInputError, match="threshold"):
            Options(threshold=text)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("selection", ["test"]),
        ("grid", ["huge"]),
        ("n_frames", [0, 10_001]),
        ("seed", [-1, 2**32]),
        ("n_jobs", [0]),
    ],
)
def test_that_invalid_options_are_refused_by_name(name, values):
    for value in values:
        with pytest.raises(InvalidInputError, match=f"^{name}="):
            Options(**{name: value})


def test_that_each_method_counts_once():
    assert Options(methods=["md", "nn", "md"]).methods == ("md", "nn")
