"""An evaluation as JSON, CSV and LaTeX."""

import csv
import io
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from app.evaluation.protocols.registry import DATABASES
from app.reports.csv_files import evaluation_csv as as_csv
from app.reports.json_files import evaluation_document as as_document
from app.reports.latex import escaped
from app.reports.latex import evaluation_latex as as_latex
from app.reports.writing import write_table as write
from lmkl_core.metrics import Threshold
from lmkl_core.metrics.table import ScoreTable
from tests.app.reports.example_tables import NAMES, fold, method, scores, table
from tests.app.reports.test_golden import GOLDEN

needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="pdflatex is not installed"
)


def lines_of(made):
    return list(csv.DictReader(io.StringIO(as_csv(made))))


def row_of(document, title):
    return next(row for row in document["rows"] if row["title"] == title)


def test_that_published_figures_are_shares_with_their_standard_deviation():
    made = table(table="ONC", protocol="IV")
    expected = {"mean": 0.033, "std": 0.041}
    assert row_of(as_document(made), "Localised MKL")["published"]["APCER"] == expected
    (line,) = [
        line
        for line in lines_of(made)
        if (line["title"], line["level"], line["figure"]) == ("Localised MKL", "published", "APCER")
    ]
    assert (line["value"], line["std"]) == ("0.033", "0.041")


def test_that_scores_are_written_on_request_and_give_the_same_table():
    found = scores([0.9, None, 0.4], print=[0.1, 0.6])
    made = table(method(folds=(fold(table=found),)))
    plain = row_of(as_document(made), "Localised MKL")["measured"]["folds"][0]
    assert "frames" not in plain
    document = json.loads(json.dumps(as_document(made, with_scores=True), allow_nan=False))
    read = row_of(document, "Localised MKL")["measured"]["folds"][0]["frames"]
    again = ScoreTable.of(read["score"], read["species"], read["subject"], read["presentation"])
    np.testing.assert_array_equal(again.scores, found.scores)
    assert again.presentations.tolist() == found.presentations.tolist()


def test_that_unusual_parameters_become_json_values():
    odd = {"": {"nan": float("nan"), "pair": (1, 2.5), "kind": NAMES["lpq"], "none": None}}
    odd[""]["delta"] = np.float64(0.25)
    document = as_document(table(method(folds=(fold(parameters=odd),))))
    text = json.dumps(document, allow_nan=False)
    assert '"nan": null' in text
    assert '"pair": [1, 2.5]' in text
    assert '"delta": 0.25' in text


def test_that_lines_of_a_level_have_the_threshold_of_that_level():
    one = fold("a", presentation_threshold=Threshold(0.7, "given"))
    made = table(method(folds=(one, fold("b"))), table="")
    found = {(line["level"], line["threshold"]) for line in lines_of(made) if line["fold"] == "a"}
    assert found == {("presentation", "0.7"), ("frame", "0.5")}
    folds = as_document(made)["rows"][0]["measured"]["folds"]
    assert folds[0]["threshold"]["value"] == 0.5
    assert folds[0]["presentation_threshold"] == {"value": 0.7, "origin": "given"}


def test_that_latex_prints_names_as_they_are():
    assert escaped("a_b & 50 % #1 $x {y} ~^\\") == (
        r"a\_b \& 50~\% \#1 \$x \{y\} \textasciitilde{}\textasciicircum{}\textbackslash{}"
    )
    assert escaped("ℓp,q ± é ü ç") == (
        r"\ensuremath{\ell}p,q \ensuremath{\pm} \'{e} " + r"\"{u} \c {c}"
    )
    assert escaped("a\nb\t名") == "a b ?"
    # At the beginning of a row, these would be arguments of the row before.
    assert escaped("[*") == "{[}{*}"


def test_that_the_interval_in_latex_comes_with_the_figure_of_all_folds():
    # Each fold's worst species always errs, but each species errs in one fold only.
    one = fold("a", scores([0.9], print=[0.9], phone=[0.1]))
    two = fold("b", scores([0.9], print=[0.1], phone=[0.9]))
    made = table(method(folds=(one, two)), table="")
    value, below = as_latex(made).splitlines()[-5:-3]
    low, high = made.rows[0].by_presentation.pooled.figure("APCER").interval
    assert value.split(" & ")[1] == escaped("100.0 ± 0.0")
    assert f"50.0 ({100 * low:.1f} to {100 * high:.1f})" in below.split(" & ")[1]
    assert high < 1.0


def test_that_rows_of_the_latex_table_have_a_cell_for_each_column():
    odd = method("x", r"od{d} \name_% & co", (fold("a"),))
    for label in ("ONC", ""):
        text = as_latex(table(odd, method(), table=label, title="A & B_{c}"))
        n_columns = len(re.search(r"\\begin\{tabular\}\{@\{\}(\w+)@\{\}\}", text)[1])
        rows = re.findall(r"^.*\\\\(?:\[-3pt\])?$", text, re.MULTILINE)
        assert len(rows) > 3
        for row in rows:
            spans = [int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d)\}", row)]
            assert len(re.findall(r"(?<!\\)&", row)) + sum(spans) == n_columns - 1, row


def test_that_a_long_name_makes_a_latex_table_span_both_columns():
    for length, environment in ((20, "table"), (60, "table*")):
        text = as_latex(table(method("x", "n" * length)))
        assert rf"\begin{{{environment}}}" in text, length


def run_latex(folder, body):
    """Compile a two-column document of the width of IEEE journals; return the log."""
    size = r"\setlength{\textwidth}{516pt}\setlength{\columnsep}{12pt}"
    document = (
        rf"\documentclass[twocolumn]{{article}}{size}\begin{{document}}{body}\end{{document}}"
    )
    (folder / "table.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stdout[-2000:]
    return ran.stdout


@needs_latex
def test_that_latex_compiles_whatever_the_names(tmp_path):
    odd = "*[o{d}d \\name_%$#&~^<>|\"'`? ℓ±·–—…ßéüçñåžă 名 [x]"
    made = table(method("x", odd, (fold(odd),)), method(), table="ONC", title=odd, version=odd)
    run_latex(tmp_path, as_latex(made))


@needs_latex
@pytest.mark.parametrize("name", ["comparison", "oulu-npu-IV", "replay-mobile"])
def test_that_latex_tables_fit_the_page(tmp_path, name):
    text = (GOLDEN / f"{name}.tex").read_text("utf-8")
    assert "Overfull" not in run_latex(tmp_path, text)


def test_that_two_modes_in_one_folder_do_not_replace_each_other(tmp_path):
    usual, other = (
        write(table(database="replay-mobile", mode=mode), tmp_path)[0].name
        for mode in DATABASES["replay-mobile"].modes
    )
    assert usual == "replay-mobile.html"
    assert other == f"replay-mobile-{DATABASES['replay-mobile'].modes[1]}.html"


@pytest.mark.fault(
    "Process and disk", "Ctrl-C while tables of an evaluation are written", keeps="files"
)
def test_that_an_interrupt_leaves_no_half_written_file(tmp_path, monkeypatch):
    monkeypatch.setattr("os.fsync", _interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(table(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def _interrupt(_):
    raise KeyboardInterrupt
