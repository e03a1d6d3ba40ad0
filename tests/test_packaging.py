"""The installed package: commands, examples in the docs, dependencies, versions and links."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.light

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
VIEWS = (ROOT / "docs" / "views.md").read_text(encoding="utf-8")
PYTHON_BLOCKS = re.findall(r"^```python\n(.*?)^```$", README + VIEWS, re.MULTILINE | re.DOTALL)


def run(arguments, cwd):
    return subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, timeout=150)


def version_of(name, cwd):
    """Ask in another folder, because an egg-info in the project's folder would take precedence."""
    code = f"from importlib.metadata import version; print(version({name!r}))"
    return run([sys.executable, "-c", code], cwd).stdout.strip()


def test_that_the_installed_command_and_the_module_print_the_version(tmp_path):
    expected = f"lmkl-pad {version_of('lmkl-pad', tmp_path)}\n"
    script = Path(sys.executable).with_name("lmkl-pad")
    for command in ([str(script)], [sys.executable, "-m", "app"]):
        result = run([*command, "--version"], tmp_path)
        assert (result.returncode, result.stdout) == (0, expected)


def test_that_command_and_window_have_the_same_entry_point():
    (script,) = entry_points(group="console_scripts", name="lmkl-pad")
    (window,) = entry_points(group="gui_scripts", name="lmkl-pad-window")
    assert script.value == window.value == "app.__main__:main"


assert PYTHON_BLOCKS


@pytest.mark.parametrize("block", PYTHON_BLOCKS, ids=lambda block: block.splitlines()[0])
def test_that_the_examples_run_as_written(block, tmp_path):
    result = run([sys.executable, "-W", "error", "-c", block], tmp_path)
    assert result.returncode == 0, result.stderr


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
LOCKED = [Requirement(line) for line in re.findall(r"^(\S+==[^\\\n]+)", LOCK, re.MULTILINE)]
SYSTEMS = [
    {"python_version": version, "python_full_version": f"{version}.1", "sys_platform": system}
    for version in ("3.11", "3.12", "3.13")
    for system in ("linux", "darwin", "win32")
]


def applying(requirements, system):
    """Return the requirements for a system, by name."""
    return {
        canonicalize_name(each.name): each
        for each in requirements
        if each.marker is None or each.marker.evaluate({"extra": "", **system})
    }


def test_that_the_lock_has_a_valid_version_of_every_dependency_on_every_system():
    for system in SYSTEMS:
        wanted = applying(map(Requirement, PROJECT["dependencies"]), system)
        locked = applying(LOCKED, system)
        assert wanted.keys() <= locked.keys(), system
        for name, requirement in wanted.items():
            (pin,) = locked[name].specifier
            assert pin.operator == "=="
            assert requirement.specifier.contains(pin.version), (system, name)


def test_that_the_lock_names_no_index_and_has_all_checksums():
    assert not re.search("://|--index|--find-links", LOCK)
    entries = re.split(r"^(?=\S+==)", LOCK, flags=re.MULTILINE)[1:]
    assert len(entries) == len(LOCKED)
    assert all("--hash=sha256:" in entry for entry in entries)


def test_that_a_plain_installation_has_neither_torch_nor_the_qt_add_ons():
    heavy = re.compile(r"torch$|torchvision|triton|timm|nvidia|cuda|pyside6(-addons)?$")
    assert [each.name for each in LOCKED if heavy.match(each.name)] == []


ADDRESS = re.compile(r"https://github\.com/[\w-]+/lmkl-pad\b")
RELEASE = re.compile(r"^## \[(\d[^\]]*)\] - (\d{4}-\d{2}-\d{2})$", re.MULTILINE)


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_that_the_citation_names_the_newest_release():
    changelog, citation = text_of("CHANGELOG.md"), text_of("CITATION.cff")
    cited = [
        match and match[1]
        for field in ("version", "date-released")
        for match in [re.search(rf"^{field}: *[\"']?([^\"'\s]+)", citation, re.MULTILINE)]
    ]
    newest, *_ = [*RELEASE.findall(changelog), (None, None)]
    assert cited == list(newest)


def test_that_the_changelog_has_unreleased_changes_then_releases_each_with_its_link():
    changelog = text_of("CHANGELOG.md")
    headings = re.findall(r"^## \[(.+?)\]", changelog, re.MULTILINE)
    assert headings == ["Unreleased", *(version for version, _ in RELEASE.findall(changelog))]
    assert re.findall(rf"^\[(.+?)\]: {ADDRESS.pattern}", changelog, re.MULTILINE) == headings


def test_that_the_same_repository_address_is_used_everywhere():
    templates = [f".github/ISSUE_TEMPLATE/{name}.yml" for name in ("bug", "config")]
    names = ["pyproject.toml", "mkdocs.yml", "CITATION.cff", "CHANGELOG.md", *templates]
    found = {name: set(ADDRESS.findall(text_of(name))) for name in names}
    assert all(found.values()), found
    assert len(set.union(*found.values())) == 1


@pytest.mark.parametrize("name", ["ci", "release"])
def test_that_workflows_call_targets_and_extras_that_exist(name):
    workflow = text_of(f".github/workflows/{name}.yml")
    targets = set(re.findall(r"\bmake ([a-z-]+)", workflow))
    extras = {e for group in re.findall(r"\.\[([a-z,]+)\]", workflow) for e in group.split(",")}
    assert targets
    assert targets <= set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    assert extras
    assert extras <= set(PROJECT["optional-dependencies"])


def test_that_the_api_reference_names_existing_modules():
    pages = "\n".join(page.read_text() for page in (ROOT / "docs/reference").glob("*.md"))
    names = re.findall(r"^::: ([\w.]+)", pages, re.MULTILINE)
    assert names
    assert [name for name in names if find_spec(name) is None] == []
