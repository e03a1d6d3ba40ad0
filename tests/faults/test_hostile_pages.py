"""Names that people type are only text in pages, tables and file names."""

import csv
import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.cli.score import Format, InputResult, row_text
from app.names import visible
from app.reports import build
from app.reports.csv_files import evaluation_csv as as_csv
from app.reports.csv_files import facts_csv, figures_csv, presentations_csv
from app.reports.evaluation import Run, compare
from app.reports.evaluation import build as build_table
from app.reports.html import comparison_page as render_comparison
from app.reports.html import evaluation_page as render_table
from app.reports.html import guided_test_page as render
from app.reports.latex import escaped
from app.reports.latex import evaluation_latex as as_latex
from app.reports.svg import Drawing
from app.reports.writing import table_name
from app.reports.writing import write_table as write
from app.session.guided_test.details import Details
from app.session.guided_test.presentation import GuidedTestError
from tests.app.guided_tests import present, scored, session
from tests.app.pages import Outline, outline
from tests.app.reports.example_context import context, model
from tests.app.reports.example_tables import NAMES, evaluation, fold, method, scores

GROUP = "Hostile files"

PIECES = [
    "<script>alert(1)</script>", "</script>", "</style>", "</title>", "<!--", "-->", "]]>", "<b",
    '" onload="alert(1)', "' onmouseover='alert(1)", "><img src=x onerror=alert(1)>", "&lt;b&gt;",
    "javascript:alert(1)", "&#60;svg/onload=alert(1)&#62;", "{{ 7*7 }}", "{% raw %}", "<svg>", "`",
    "\0", "\u202e", "\u2066", "\u200b", "\u2028", "\x1b[31m", "\r\n", "\ud800", "&", "é", "%",
    "=cmd|' /C calc'!A0", "@SUM(1)", "+1", "-1", "\\input{/etc/passwd}", "$x^2_", "#", "~", "x",
]  # fmt: skip
UNSEEN = re.compile("[\0\x1b\u200b\u2028\u202e\u2066]")

hostile = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join)
names = hostile | st.text(min_size=1, max_size=30)


def report_page(name):
    """Return the report of a session in which everything has this name."""
    guided_test = session(2, 2)
    try:
        present(guided_test, f"x{name}"[:60], [0.9] * 6)
    except GuidedTestError:  # nothing of the name is visible
        pass
    told = model(
        preset=name,
        digest=name,
        path=f"/home/{name}",
        takes=(name, f"{name} 2", "lamp"),
        parameters=((name, name), ("p", name)),
        view_names=(name,),
    )
    return render(build(guided_test, context(source=name, model=told, version=name)))


def table_page(name):
    """Return the page of an evaluation in which everything has this name."""
    return render_table(table_of(name))


def table_of(name):
    table = scores([0.9, 0.2], **{f"x{name}": [0.1, 0.8]})
    return build_table(
        evaluation(
            method("x", name, (fold(name, table, notes=(name,)), fold("b", table))),
            method("y", "y", (), failure=name),
            title=name,
            database=name,
            protocol=name,
            mode=name,
            settings={name: name},
            counts={name: 1},
            notes=(name,),
            version=name,
            table="",
        ),
        NAMES,
    )


def comparison_page(name):
    """Return the page of two runs in which everything has this name."""
    runs = [Run(f"{number}{name}", table_of(name)) for number in range(2)]
    return render_comparison(compare(runs))


class Skeleton(Outline):
    """The elements, attributes, styles and comments of a page."""

    def __init__(self, page):
        super().__init__()
        self.kinds, self.styles, self.comments = set(), [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        super().handle_starttag(tag, attrs)
        self.kinds |= {(tag, name) for name, _ in attrs} | {(tag, None)}

    def handle_data(self, data):
        super().handle_data(data)
        if self.open and self.open[-1] == "style":
            self.styles.append(data)

    def handle_comment(self, data):
        self.comments.append(data)


PAGES = {"report": report_page, "evaluation": table_page, "comparison": comparison_page}


@pytest.fixture(scope="module", params=sorted(PAGES))
def harmless(request):
    """Return a function that makes a page, and its skeleton with a plain name."""
    make = PAGES[request.param]
    return make, Skeleton(make("plain"))


@pytest.mark.fault(GROUP, "markup, quotes and scripts as names in pages")
def test_that_no_name_adds_an_element_or_an_attribute_to_a_page(harmless, attempt):
    make, plain = harmless

    @settings(max_examples=40)
    @given(names)
    def check(name):
        with attempt():
            page = make(name)
            found = Skeleton(page)
            assert found.kinds <= plain.kinds
            assert found.styles == plain.styles
            assert found.comments == plain.comments
            assert not UNSEEN.search(page)
            for tag, attribute in found.kinds:
                assert not (attribute or "").startswith("on")
                assert tag not in ("script", "img", "iframe", "object", "a")

    check()


@pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)
def test_that_names_can_be_read_in_the_page_as_they_were_typed(make):
    name = '<b onclick="x">O\'Neil & Söhne</b>'
    assert name in "".join(outline(make(name)).text)


def test_that_names_in_drawings_are_text():
    drawing = Drawing(10, 10, '"><script>', "' onload='x\u202e")
    drawing.text((0, 0), "</text><script>\0", '" onload="x')
    page = drawing.markup()
    found = outline(page)
    assert found.tags == ["svg", "text"]
    assert {name for name, _ in found.attributes} == {
        "viewbox", "role", "aria-label", "class", "x", "y", "text-anchor",
    }  # fmt: skip
    assert not UNSEEN.search(page)


def test_that_only_invisible_characters_are_dropped_from_names():
    assert visible("a\u202eb\0c\u2066d\ufeffe\x9ff") == "abcdef"
    kept = "می\u200cخواهم 👩\u200d🔬 \t\nÅ"
    assert visible(kept) == kept


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x","y")']


def cells(text):
    return [cell for row in csv.reader(io.StringIO(text)) for cell in row]


def is_formula(cell):
    return cell[:1] in "=+-@\t\r" and not re.fullmatch(r"-?[\d.e+-]+|", cell)


@pytest.mark.fault(GROUP, "formulas as names in CSV files")
def test_that_no_name_becomes_a_formula_in_a_spreadsheet(attempt):
    for formula in FORMULAS:
        guided_test = session(2, 2)
        present(guided_test, formula, [0.9] * 6)
        guided_test.details = Details({"tester": formula})
        report = build(guided_test, context(model=model(digest=formula)))
        texts = [csv_of(report) for csv_of in (presentations_csv, figures_csv, facts_csv)]
        row = row_text(Format.CSV, InputResult(formula, 0.5), scored(0.9))
        for text in (*texts, as_csv(table_of(formula)), row):
            with attempt():
                assert formula.strip() in text.replace('""', '"')
                assert not [cell for cell in cells(text) if is_formula(cell)]


@settings(max_examples=150)
@given(names)
def test_that_latex_prints_any_name_and_runs_none(name):
    text = escaped(name)
    assert text.isascii()
    # All commands are those of the program, none the name's.
    commands = set(re.findall(r"\\[a-zA-Z]+|\\.", text))
    assert commands <= {
        "\\textbackslash", "\\{", "\\}", "\\$", "\\&", "\\#", "\\%", "\\_", "\\textasciitilde",
        "\\textasciicircum", "\\ensuremath", "\\ell", "\\pm", "\\cdot", "\\ldots", "\\ss",
        "\\`", "\\'", "\\^", "\\~", '\\"', "\\v", "\\c", "\\u", "\\r",
    }  # fmt: skip
    assert not re.search(r"(?<!\\)[$&#%_]", text)
    assert "\n" not in text


def test_that_a_hostile_table_is_one_table_in_latex():
    text = as_latex(table_of("\\end{table}\\input{/etc/passwd}%\n\\begin{table}"))
    text = re.sub(r"(?m)^%.*$", "", text)
    assert text.count("\\begin{table") == text.count("\\end{table") == 1
    assert "\\input" not in text


@pytest.mark.fault(GROUP, "paths as names in file names")
def test_that_a_table_is_written_into_its_folder_whatever_its_protocol_is_called(tmp_path, attempt):
    names = ["../../x", "/etc/x", "a\\b", "..", "C:\\x", "a\0b", "x" * 80, ""]
    for number, name in enumerate(names):
        folder = tmp_path / str(number) / "inner" / "tables"
        table = build_table(evaluation(protocol=name, database=name), NAMES)
        with attempt():
            files = write(table, folder)
            assert len(files) == 4
            assert {file.parent for file in files} == {folder}
            assert sorted(folder.parents[1].rglob("*.html")) == [files[0]]
            assert "/" not in table_name(table)
