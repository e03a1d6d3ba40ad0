"""Report files of a guided test, evaluations and a comparison, compared word for word.

After an intended change, rewrite them with ``python -m tests.app.reports.test_golden`` and read the
diff.
"""

import json
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest

from app.evaluation.protocols.types import SplitCount
from app.reports import build, write
from app.reports.evaluation import Run, compare
from app.reports.evaluation import build as build_table
from app.reports.writing import write_comparison, write_table
from app.session.guided_test.guided_test import GuidedTest
from tests.app.pages import assert_that_nothing_is_loaded
from tests.app.reports.example_context import context
from tests.app.reports.example_tables import NAMES, evaluation, fold, method, people_scores

GOLDEN = Path(__file__).parent / "golden"
NUMBER = re.compile(r"(?<![\w.#])-?\d+\.\d{4,}(?:e-?\d+)?(?![\w.])")
"""Numbers in full precision, whose last digits may depend on the processor."""


def scored(seed, shift=0.0):
    """Return scores of people, one presentation without a response."""
    table = people_scores(seed, shift=shift)
    table.scores[14] = np.nan
    return table


def guided_test(folder):
    """Write the report of the golden session."""
    session = json.loads((GOLDEN / "session.json").read_text("utf-8"))
    write(
        build(GuidedTest.from_dict(session), context(conditions="lamp on")), folder / "guided.html"
    )
    page = folder / "guided.json"
    document = json.loads(page.read_text("utf-8"))
    del document["session"]  # the file that was read
    page.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")


MORE = (
    method("fusion", "The work in", (fold("1", scored(6)),)),
    *(
        method(f"single:view/{n}", f"Single kernel: view/{n}", (fold("1", scored(10 + n)),))
        for n in range(3)
    ),
)


def measured(name, preset="tiny", shift=0.0, more=(), **changes):
    """Return a run with a method of one fold, one of two folds, one that failed, and ``more``."""
    folds = (
        fold("1", scored(1, shift=shift), 0.0),
        fold("2", scored(2, shift=shift), 0.1, notes=("Not certified.",)),
    )
    methods = (
        method("mk-svdd", "Multiple Kernel-SVDD", (fold("1", scored(5), 0.2),)),
        method("lpq", "lp,q-MKL", (), failure="It did not converge."),
        *more,
        method(folds=folds, seconds=12.5),
    )
    made = evaluation(
        *methods,
        settings={"preset": preset, "frames a recording": "20"},
        recordings=(SplitCount("", "test", "attack", 6, 1, 7),),
        missing=("test/attack/9.mov",),
        passed_over=("list.txt, line 3: 'x' is not a video.",),
        **{
            "table": "ONC",
            "database": "oulu-npu",
            "protocol": "IV",
            "title": "OULU-NPU",
            **changes,
        },
    )
    return Run(name, build_table(made, NAMES))


def evaluations(folder):
    """Write a table of many methods, one of few methods and one figure, and a comparison."""
    write_table(measured("tiny", more=MORE).table, folder)
    one = {"table": "RM", "database": "replay-mobile", "protocol": "", "is_simulated": True}
    write_table(measured("tiny", **one).table, folder)
    write_comparison(compare([measured("first"), measured("second", "texture", 0.8)]), folder)


def parts(path):
    """Return the text between numbers, and the numbers."""
    text = re.sub(r"<style>.*?</style>", "", path.read_text("utf-8"), flags=re.DOTALL)
    return NUMBER.split(text), [float(number) for number in NUMBER.findall(text)]


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (guided_test, "guided.html guided.json guided.csv guided-details.csv "
                      "guided-presentations.csv"),
        (evaluations, "oulu-npu-IV.html oulu-npu-IV.tex replay-mobile.html replay-mobile.json "
                        "replay-mobile.csv replay-mobile.tex "
                        "comparison.html comparison.json comparison.csv comparison.tex"),
    ],
)  # fmt: skip
def test_that_reports_match_the_golden_files(tmp_path, make, names):
    make(tmp_path)
    for name in names.split():
        words, numbers = parts(tmp_path / name)
        expected_words, expected = parts(GOLDEN / name)
        assert words == expected_words, name
        assert numbers == pytest.approx(expected, rel=1e-6, abs=1e-9), name
    for page in tmp_path.glob("*.html"):
        assert_that_nothing_is_loaded(page.read_text("utf-8"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        guided_test(Path(place))
        evaluations(Path(place))
        for made in sorted(Path(place).iterdir()):
            if made.name in ("oulu-npu-IV.json", "oulu-npu-IV.csv"):
                continue  # long, and like those of the other table
            text = re.sub(
                r"<style>.*?</style>", "<style></style>", made.read_text("utf-8"), flags=re.DOTALL
            )
            (GOLDEN / made.name).write_text(text, "utf-8", newline="")
