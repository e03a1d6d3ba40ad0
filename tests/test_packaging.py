"""What ``pip install`` gives: the commands, the README's lines, the packages."""

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
    """Ask elsewhere: here, an egg-info of another environment's installation may be in the way."""
    code = f"from importlib.metadata import version; print(version({name!r}))"
    return run([sys.executable, "-c", code], cwd).stdout.strip()


def test_that_the_installed_command_and_the_module_print_the_version(tmp_path):
    expected = f"lmkl-pad {version_of('lmkl-pad', tmp_path)}\n"
    command = Path(sys.executable).with_name("lmkl-pad")
    for words in ([str(command)], [sys.executable, "-m", "app"]):
        result = run([*words, "--version"], tmp_path)
        assert (result.returncode, result.stdout) == (0, expected)


def test_that_the_scripts_point_at_main():
    (script,) = entry_points(group="console_scripts", name="lmkl-pad")
    (window,) = entry_points(group="gui_scripts", name="lmkl-pad-window")
    assert script.value == window.value == "app.__main__:main"


assert PYTHON_BLOCKS  # the pages show Python


@pytest.mark.parametrize("block", PYTHON_BLOCKS, ids=lambda block: block.splitlines()[0])
def test_that_the_readme_runs_as_written(block, tmp_path):
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


def test_that_the_lock_has_a_fitting_version_of_every_dependency_on_every_system():
    for system in SYSTEMS:
        wanted = applying(map(Requirement, PROJECT["dependencies"]), system)
        locked = applying(LOCKED, system)
        assert wanted.keys() <= locked.keys(), system
        for name, requirement in wanted.items():
            (pin,) = locked[name].specifier
            assert pin.operator == "=="
            assert requirement.specifier.contains(pin.version), (system, name)


def test_that_the_lock_names_no_index_and_a_checksum_for_everything():
    assert "://" not in LOCK
    assert "--index" not in LOCK
    assert "--find-links" not in LOCK
    entries = re.split(r"^(?=\S+==)", LOCK, flags=re.MULTILINE)[1:]
    assert len(entries) == len(LOCKED)
    assert all("--hash=sha256:" in entry for entry in entries)


def test_that_a_plain_installation_brings_no_torch_and_no_qt_add_ons():
    heavy = re.compile(r"torch$|torchvision|triton|timm|nvidia|cuda|pyside6(-addons)?$")
    assert [each.name for each in LOCKED if heavy.match(each.name)] == []


ADDRESS = re.compile(r"https://github\.com/[\w-]+/lmkl-pad\b")
RELEASE = re.compile(r"^## \[(\d[^\]]*)\] - (\d{4}-\d{2}-\d{2})$", re.MULTILINE)


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def field_of(citation, name):
    match = re.search(rf"^{name}: *[\"']?([^\"'\s]+)", citation, re.MULTILINE)
    return match[1] if match else None


def test_that_the_citation_names_the_newest_release():
    changelog, citation = text_of("CHANGELOG.md"), text_of("CITATION.cff")
    assert changelog.count("\n## [Unreleased]\n") == 1
    headings = re.findall(r"^## \[(?!Unreleased)(.+?)\]", changelog, re.MULTILINE)
    releases = RELEASE.findall(changelog)
    assert [version for version, _ in releases] == headings
    newest = releases[0] if releases else (None, None)
    assert (field_of(citation, "version"), field_of(citation, "date-released")) == newest


def test_that_every_release_in_the_changelog_has_its_link():
    changelog = text_of("CHANGELOG.md")
    headings = re.findall(r"^## \[(.+?)\]", changelog, re.MULTILINE)
    assert re.findall(rf"^\[(.+?)\]: {ADDRESS.pattern}", changelog, re.MULTILINE) == headings


def test_that_one_address_of_the_repository_is_named_everywhere():
    templates = [f".github/ISSUE_TEMPLATE/{name}.yml" for name in ("bug", "config")]
    names = ["pyproject.toml", "mkdocs.yml", "CITATION.cff", "CHANGELOG.md", *templates]
    found = {name: set(ADDRESS.findall(text_of(name))) for name in names}
    assert len(set.union(*found.values())) == 1
    assert all(found.values()), found


@pytest.mark.parametrize("name", ["ci", "release"])
def test_that_workflows_call_targets_and_extras_that_exist(name):
    workflow = text_of(f".github/workflows/{name}.yml")
    targets = set(re.findall(r"\bmake ([a-z-]+)", workflow))
    assert targets
    assert targets - set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE)) == set()
    extras = {e for group in re.findall(r"\.\[([a-z,]+)\]", workflow) for e in group.split(",")}
    known = tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"]
    assert extras
    assert extras - set(known) == set()


def test_that_the_reference_names_modules_that_exist():
    pages = sorted((ROOT / "docs/reference").glob("*.md"))
    named = [
        name for page in pages for name in re.findall(r"^::: ([\w.]+)", page.read_text(), re.M)
    ]
    assert named
    assert [name for name in named if find_spec(name) is None] == []
