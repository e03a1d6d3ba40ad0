"""The docs agree with the program: links, quoted messages, commands, figures, diagrams."""

import contextlib
import io
import re
import runpy
import sys
from graphlib import TopologicalSorter

import pytest
import typer

from app.cli.console import ExitCode
from app.cli.main import COMMANDS, cli, load_command
from app.storage import FEATURES_NAME, OUTCOMES_NAME, PERSONAL_NAME, SETTINGS_NAME, TAKES_NAME
from benchmarks import __main__ as benchmarks
from benchmarks import figures
from tests.diagrams import boxes_of, diagrams_of, edges_between, modules_below
from tests.documents import (
    ROOT,
    Page,
    is_label,
    is_message,
    pages,
    program_texts,
    section_of,
    words_of,
)
from tests.imports import imports_of, is_within

ALL = pages()

QUOTING = pages("docs/guide.md", "docs/troubleshooting.md")
"""Pages that quote the program: messages in “…”, labels of buttons and pages in italics."""

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")

MOST_BYTES = {".jpg": 220_000, ".png": 220_000, ".webp": 3_000_000}


def broken_targets(page: Page) -> list[str]:
    broken = []
    for target in page.targets:
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.path.parent / name).resolve() if name else page.path
        # Targets must be in the repository, also after following symbolic links.
        is_there = path.exists() and path.is_relative_to(ROOT)
        if not is_there or (anchor and anchor not in Page(path).anchors):
            broken.append(target)
    return broken


def test_that_every_link_anchor_and_picture_is_there():
    assert {page.name: broken for page in ALL if (broken := broken_targets(page))} == {}


def test_that_every_page_is_reached_from_the_index():
    index = pages("docs/README.md")[0]
    reached = {
        (index.path.parent / target.partition("#")[0]).resolve()
        for target in index.targets
        if ".md" in target
    }
    assert {page.path for page in ALL} - reached == {index.path}


def test_that_every_picture_of_the_program_is_shown_and_small():
    shown = {
        (page.path.parent / target).resolve()
        for page in ALL
        for target in page.targets
        if target.endswith(tuple(MOST_BYTES))
    }
    taken = set((ROOT / "assets/screenshots").iterdir())
    assert taken - shown == set()
    assert [path.name for path in taken if path.stat().st_size > MOST_BYTES[path.suffix]] == []


def test_that_figures_of_the_readme_are_measured_ones():
    table = "".join(
        re.findall(r"^\|.*\n", section_of(pages("README.md")[0], "How well it works"), re.M)
    )
    measured = "".join(page.text for page in pages("docs/measurements.md", "docs/real.md"))
    claimed = set(NUMBER.findall(table))
    assert len(claimed) > 10
    assert claimed - set(NUMBER.findall(measured)) == set()


def test_that_every_section_of_figures_has_its_place():
    text = figures.PAGE.read_text(encoding="utf-8")
    for name in figures.SECTIONS:
        begin, end = figures.marks(name)
        assert begin in text.partition(end)[0], name


@pytest.mark.parametrize("page", QUOTING, ids=lambda page: page.name)
def test_that_every_quoted_message_is_one_of_the_programs(page):
    assert page.quotations
    assert [text for text in page.quotations if not is_message(text)] == []


@pytest.mark.parametrize("page", QUOTING, ids=lambda page: page.name)
def test_that_every_label_in_italics_is_in_the_program(page):
    assert page.labels
    assert [text for text in page.labels if not is_label(text)] == []


def test_that_the_table_of_exit_codes_is_the_programs():
    rows = re.findall(r"^\| (\d+) \| (.+?) \|$", pages("docs/commands.md")[0].text, re.MULTILINE)
    assert {int(code): text for code, text in rows} == {int(c): c.meaning for c in ExitCode}


def check_command(words: list[str], *, is_complete: bool) -> None:
    """Parse a command line with the real program; raise the error that it would report."""
    command, context = typer.main.get_command(cli), None
    arguments = words[1:]
    while True:
        context = command.context_class(command, info_name=command.name, parent=context)
        values, rest, _ = command.make_parser(context).parse_args(args=list(arguments))
        if not hasattr(command, "get_command"):
            break
        if not rest:
            return
        known = COMMANDS if context.parent is None else command.commands
        assert rest[0] in known, f"there is no command {rest[0]!r}"
        command = load_command(rest[0]) if known is COMMANDS else known[rest[0]]
        arguments = rest[1:]
    assert rest == [], f"too many arguments: {rest}"
    if is_complete and "help" not in values:
        missing = [p.name for p in command.params if p.required and not values.get(p.name)]
        assert missing == [], f"arguments are missing: {missing}"


def is_ours(words: list[str]) -> bool:
    return words[0].replace("\\", "/").rpartition("/")[2] == "lmkl-pad"


def commands_of(page: Page) -> list[tuple[list[str], bool]]:
    """Return the program's command lines, and whether each must be complete."""
    whole = [
        (words, True) for line in page.command_lines for words in words_of(line) if is_ours(words)
    ]
    # In a sentence the first words of a command are enough.
    mentioned = [
        (words_of(text)[0], False)
        for text in page.inline
        if re.match(r"lmkl-pad [\w-]", text) and "..." not in text
    ]
    return whole + mentioned


def test_that_every_command_line_is_understood_and_every_command_shown():
    shown = set()
    for page in ALL:
        for words, is_complete in commands_of(page):
            shown.update(words[1:2])
            try:
                check_command(words, is_complete=is_complete)
            except Exception as error:
                pytest.fail(f"{page.name}, {' '.join(words)}: {error}")
    assert set(COMMANDS) <= shown


def test_that_every_make_target_and_benchmark_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    said = [text for page in ALL for text in (*page.inline, *page.command_lines)]
    wanted = {match[1] for text in said if (match := re.match(r"make ([a-z-]+)", text))}
    assert wanted - targets == set()
    known = {*benchmarks.NAMES, *benchmarks.NAMED}
    named = {name for text in said for name in re.findall(r"-m benchmarks (\w+)", text)}
    assert named - known == set()


def test_that_every_environment_variable_is_one_of_the_programs():
    source = {name for text in program_texts() for name in re.findall(r"LMKL_PAD_[A-Z]+", text)}
    told = {name for page in ALL for name in re.findall(r"LMKL_PAD_[A-Z]+", page.text)}
    assert told
    assert told - source == set()


def test_that_every_path_in_the_repository_exists():
    folders = "app|lmkl_core|tests|benchmarks|bundling|docs|assets"
    inline = {text for page in ALL for text in page.inline}
    named = {text for text in inline if re.fullmatch(rf"(?:{folders})/[\w./-]*", text)}
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_that_the_table_of_files_names_everything_that_storage_names():
    text = pages("docs/files.md")[0].text
    for name in (SETTINGS_NAME, PERSONAL_NAME, TAKES_NAME, FEATURES_NAME, OUTCOMES_NAME):
        assert re.search(rf"`[^`\n]*\b{re.escape(name)}\b[^`\n]*`", text), name


TOLERANCE = 0.021
"""Networks round differently on different machines; the page prints two or three decimals."""


def test_that_the_worked_example_gives_what_the_page_says(tmp_path, monkeypatch):
    code, expected = (
        next(block.text for block in pages("docs/method.md")[0].blocks if block.language == kind)
        for kind in ("python", "text")
    )
    script = tmp_path / "example.py"
    script.write_text(code, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", [str(script)])
    with contextlib.redirect_stdout(io.StringIO()) as output:
        runpy.run_path(str(script))
    printed = output.getvalue()
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", expected)
    pairs = zip(NUMBER.findall(printed), NUMBER.findall(expected), strict=True)
    assert [(a, b) for a, b in pairs if abs(float(a) - float(b)) > TOLERANCE] == []


ARCHITECTURE = pages("docs/architecture.md")[0]
DIAGRAMS = diagrams_of(ARCHITECTURE)


@pytest.mark.parametrize("diagram", DIAGRAMS, ids=lambda diagram: diagram.title)
def test_that_arrows_of_a_diagram_are_the_imports_between_its_boxes(diagram):
    tuple(TopologicalSorter(diagram.graph).static_order())  # raises if there is a cycle
    real = edges_between(diagram, ROOT)
    assert diagram.edges - set(real) == set(), "drawn, but nothing is imported"
    missing = {edge: real[edge] for edge in set(real) - diagram.edges}
    assert missing == {}, "imported, but not drawn"


VALUES = set(re.findall(r"`(app(?:\.\w+)+)`", section_of(ARCHITECTURE, "Values")))


def is_value(module: str) -> bool:
    return any(is_within(module, value) for value in VALUES)


def test_that_every_module_of_the_program_has_its_box():
    layers, *inside = DIAGRAMS
    modules = [name for package in ("app", "lmkl_core") for name in modules_below(package, ROOT)]
    homeless = [
        module
        for module in modules
        if not any(other.startswith(f"{module}.") for other in modules)
        and boxes_of(layers, module) != ["start"]
        and not is_value(module)
        and not any(boxes_of(diagram, module) for diagram in inside)
    ]
    assert homeless == [], "add them to a box in docs/architecture.md"


BELOW_VALUES = ("lmkl_core.errors", "lmkl_core.system.files", "lmkl_core.features.weights.Weights")
"""Library modules that values may import: they load little, or are imported for types only."""


def test_that_values_import_values_alone():
    assert len(VALUES) > 3
    for name in VALUES:
        path = ROOT.joinpath(*name.split("."))
        for file in [*path.rglob("*.py")] or [path.with_suffix(".py")]:
            upward = [
                str(found)
                for found in imports_of(file)
                if found.module.split(".")[0] in ("app", "lmkl_core")
                and not is_value(found.module)
                and not any(is_within(found.module, known) for known in BELOW_VALUES)
            ]
            assert upward == []
