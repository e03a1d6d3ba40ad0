"""The table of faults: it counts what happened, and the docs hold no row without a test."""

import ast
import re
from pathlib import Path

import pytest

from tests.fault_table import BEGIN, END, Row, Tally, tables_of

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "faults.md"


def marked_tests():
    """Return the row of every test that injects a fault, found without running anything."""
    found = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                for mark in filter(is_fault, node.decorator_list):
                    group, what = (ast.literal_eval(one) for one in mark.args)
                    name = f"{path.relative_to(ROOT).as_posix()}::{node.name}"
                    found.setdefault((group, what), []).append(name)
    return found


def is_fault(node):
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.fault"


def rows_of_docs():
    """Return group, words, tries, survived and tests of every row in the docs."""
    text = DOCS.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    group, rows = "", []
    for line in text.splitlines():
        if line.startswith("### "):
            group = line.removeprefix("### ")
        elif re.match(r"\| (?!fault or|---)", line):
            what, tries, survived, _lost, tests = (c.strip() for c in line.strip("|").split(" | "))
            rows.append((group, what, int(tries), int(survived), re.findall("`(.+?)`", tests)))
    return rows


def test_that_every_row_of_the_docs_is_a_test_and_every_such_test_is_in_a_row():
    shown = {(group, what): sorted(tests) for group, what, _, _, tests in rows_of_docs()}
    assert shown == {row: sorted(tests) for row, tests in marked_tests().items()}


def test_that_the_docs_show_no_fault_that_was_not_survived():
    assert rows_of_docs()
    assert [row for row in rows_of_docs() if row[2] < 1 or row[3] != row[2]] == []


def test_that_tries_are_counted_and_what_was_lost():
    tally = Tally()
    with tally():
        pass
    with tally() as trial:
        trial.lose(3)
    with pytest.raises(AssertionError), tally() as trial:
        trial.expect_kept(False)
    assert (tally.tries, tally.survived, tally.n_lost) == (3, 2, 4)


def test_that_a_row_adds_up_its_tests():
    row = Row("Disk", "full", "models")
    row.add("a.py::test_one", Tally(2, 2, 0))
    row.add("a.py::test_one", Tally(1, 0, 1))
    assert tables_of([row]).splitlines()[-1] == "| full | 3 | 2 | 1 models | `a.py::test_one` |"
