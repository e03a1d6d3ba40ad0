"""Runs side by side: the same numbers in every output, and differences by subject."""

import csv
import html
import io
import json
import re

import pytest

from app.reports.evaluation import Run, compare
from app.reports.notices import comparison_notices
from app.reports.writing import write_comparison
from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics import bootstrap_difference
from tests.app.reports.table_material import fold, method, people_scores, table


def run(name, seed, title="Localised MKL", *, shift=0.0, n_subjects=14, **changes):
    made = method(
        folds=(fold(table=people_scores(seed, n_subjects, shift), threshold=0.0),), title=title
    )
    changes = {"table": "", "settings": {"preset": name}} | changes
    return Run(name, table(made, **changes))


@pytest.fixture
def comparison():
    return compare([run("texture", 1), run("tiny", 2, shift=1.5), run("other", 3, database="x")])


def test_that_differences_are_those_to_the_first_run_by_subject(comparison):
    first, second = (people_scores(seed, shift=shift) for seed, shift in ((1, 0.0), (2, 1.5)))
    line = comparison.line("tiny", "localised", "AUC")
    expected = bootstrap_difference(first, second, "AUC")
    assert line.difference.value == expected.value < 0
    assert line.difference.interval == expected.interval
    assert line.difference.is_clear
    assert comparison.line("texture", "localised", "AUC").difference is None


def test_that_only_runs_of_one_database_are_paired(comparison):
    told = {line.run: line.difference for line in comparison.lines if line.difference}
    assert (told["tiny"].is_paired, told["tiny"].n_subjects) == (True, 14)
    assert (told["other"].is_paired, told["other"].n_subjects) == (False, 14)


def signed(share):
    return re.sub(r"[+-]0\.0$", "0.0", f"{100 * share:+.1f}")


def test_that_every_output_has_the_same_numbers(comparison, tmp_path):
    write_comparison(comparison, tmp_path)
    texts = {path.suffix: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    lines = json.loads(texts[".json"])["lines"]
    rows = [row for row in csv.DictReader(io.StringIO(texts[".csv"])) if row["value"]]
    assert len(lines) == len(rows) == len(comparison.lines) == 9
    page = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", texts[".html"])))
    for line, row in zip(lines, rows, strict=True):
        assert float(row["value"]) == line["value"]
        assert f"{100 * line['value']:.1f}" in page
        if line["difference"]:
            found = line["difference"]
            assert float(row["difference"]) == found["value"]
            assert float(row["difference_low"]) == found["low"]
            ends = " to ".join(signed(found[end]) for end in ("low", "high"))
            told = f"{signed(found['value'])} ({ends})"
            assert told in page
            assert told in texts[".tex"]


def test_that_few_subjects_are_told():
    made = compare([run("a", 1, n_subjects=5), run("b", 2, n_subjects=5)])
    assert any("Too few subjects: 5" in notice for notice in comparison_notices(made))
    assert not any(line.difference.is_clear for line in made.lines if line.difference)


def test_that_a_method_of_one_run_alone_has_no_difference():
    alone = Run("b", table(method("mk-svdd", "MK-SVDD"), table=""))
    made = compare([run("a", 1), alone])
    assert set(made.methods) == {"localised", "mk-svdd"}
    assert not any(line.difference for line in made.lines)


@pytest.mark.parametrize("names", [["a"], ["a", "a"]])
def test_that_runs_need_names_of_their_own(names):
    with pytest.raises(InvalidInputError):
        compare([run(name, 1) for name in names])
