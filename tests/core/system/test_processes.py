"""Processes of our own, from an installation and from a one-folder build."""

import ast
import json
import os
import subprocess
import sys
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import pytest
from joblib import Parallel
from joblib._parallel_backends import ThreadingBackend

from bundling import entry
from lmkl_core.system import processes

ROOT = Path(__file__).resolve().parents[3]
PROBE = "lmkl_core.features.engines.probe"


@pytest.fixture
def frozen(monkeypatch):
    """Be a one-folder build, as PyInstaller marks it."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", "/opt/lmkl-pad/_internal", raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/lmkl-pad/lmkl-pad")


def test_that_an_installation_runs_modules_with_its_python():
    assert not processes.is_frozen()
    assert processes.module_command(PROBE) == [sys.executable, "-P", "-m", PROBE]


def test_that_a_build_runs_modules_with_itself(frozen):
    assert processes.is_frozen()
    command = processes.module_command(PROBE)
    assert command == ["/opt/lmkl-pad/lmkl-pad", processes.RUN_MODULE, PROBE]


def test_that_the_command_of_a_build_is_understood_by_a_build(frozen, monkeypatch):
    ran = []
    module = import_module("app.qt.window_picture")
    monkeypatch.setattr(module, "main", lambda: ran.append(sys.argv))
    monkeypatch.setattr(sys, "argv", ["before"])
    command = [*processes.module_command("app.qt.window_picture"), "model", "picture"]
    assert entry.run_if_asked(command)
    assert ran == [["/opt/lmkl-pad/lmkl-pad", "model", "picture"]]


def test_that_commands_of_people_are_left_to_the_command_line():
    for given in [[], ["demo"], ["score", processes.RUN_MODULE, PROBE]]:
        assert not entry.run_if_asked(["lmkl-pad", *given])


def test_that_a_build_cannot_be_made_to_run_anything_else():
    for given in [[], ["os"], ["app.cli.main"], ["http.server"]]:
        with pytest.raises(SystemExit, match="is for the program itself"):
            entry.run_if_asked(["lmkl-pad", processes.RUN_MODULE, *given])


@pytest.mark.parametrize("name", entry.MODULES)
def test_that_modules_of_children_have_a_beginning(name):
    assert callable(import_module(name).main)


def test_that_the_entry_of_a_build_answers_as_a_child():
    # As the executable does it, with Python in its place: the real entry, a real probe.
    command = [sys.executable, str(ROOT / "bundling" / "entry.py"), processes.RUN_MODULE, PROBE]
    job = {"graph": {}, "folder": "nowhere", "key": "none", "engine": "onnxruntime"}
    done = subprocess.run(
        command,
        input=json.dumps(job) + "\n",
        env=processes.module_environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "@lmkl " in done.stdout
    assert '"failed"' in done.stdout  # the graph is none


def test_that_a_child_finds_this_very_code_first(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    assert processes.module_environment()["PYTHONPATH"] == os.pathsep.join(
        [str(ROOT), "/elsewhere"]
    )


def test_that_the_child_of_a_build_sets_itself_up_anew(frozen):
    environment = processes.module_environment()
    assert environment["PYINSTALLER_RESET_ENVIRONMENT"] == "1"
    assert environment.get("PYTHONPATH") == os.environ.get("PYTHONPATH")


def test_that_other_programs_do_not_inherit_the_libraries_of_a_build():
    environment = {"LD_LIBRARY_PATH": "/build", "LD_LIBRARY_PATH_ORIG": "/mine", "HOME": "/h"}
    entry.give_back_library_paths(environment)
    assert environment == {"LD_LIBRARY_PATH": "/mine", "HOME": "/h"}
    environment = {"LD_LIBRARY_PATH": "/build", "DYLD_LIBRARY_PATH": "/build"}
    entry.give_back_library_paths(environment)
    assert environment == {}


def test_that_models_are_fitted_by_threads_where_there_is_no_python(frozen):
    parallel = Parallel(n_jobs=2, prefer=processes.preferred_workers())
    assert isinstance(parallel._backend, ThreadingBackend)


def test_that_models_are_fitted_by_processes_elsewhere():
    parallel = Parallel(n_jobs=2, prefer=processes.preferred_workers())
    assert not isinstance(parallel._backend, ThreadingBackend)


# ------------------------------------------------- every place that starts a process

THE_HELPER = "lmkl_core/system/processes.py"
ONLY_TELLS = "app/cli/doctor.py"
"""The doctor names the interpreter and starts nothing."""


WAYS = {"multiprocessing", "pty", "concurrent.futures.process"}
CALLS = {"fork", "execv", "posix_spawn"}
WORDS = WAYS | CALLS | {"executable", "subprocess", "Parallel", "lmkl_core.system.processes"}


@lru_cache(maxsize=1)
def nodes() -> list[tuple[str, ast.AST]]:
    """Return every part of our files that name any of these, with the file it is in."""
    paths = [path for package in ("app", "lmkl_core") for path in (ROOT / package).rglob("*.py")]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return [
        (path, node)
        for path, text in texts.items()
        if any(word in text for word in WORDS)
        for node in ast.walk(ast.parse(text))
    ]


def test_that_the_interpreter_is_named_in_one_place_alone():
    places = {
        path
        for path, node in nodes()
        if isinstance(node, ast.Attribute) and node.attr == "executable"
    }
    assert places == {THE_HELPER, ONLY_TELLS}


def test_that_what_starts_processes_asks_the_helper_how():
    starting = {
        path
        for path, node in nodes()
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "subprocess"
        and node.attr in ("Popen", "run", "call", "check_call", "check_output")
    }
    asking = {
        path
        for path, node in nodes()
        if isinstance(node, ast.ImportFrom)
        and node.module == "lmkl_core.system.processes"
        and {alias.name for alias in node.names} & {"module_command", "module_environment"}
    }
    assert "app/cli/demo.py" in starting
    assert starting <= asking


def test_that_no_process_is_started_in_another_way():
    used = {
        path
        for path, node in nodes()
        if (isinstance(node, ast.Import) and any(alias.name in WAYS for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module in WAYS)
        or (isinstance(node, ast.Attribute) and node.attr in CALLS)
    }
    assert used == set()


def test_that_every_parallel_of_joblib_is_told_what_a_build_can_do():
    calls = [
        (path, {keyword.arg for keyword in node.keywords})
        for path, node in nodes()
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Parallel"
    ]
    assert len(calls) >= 2
    assert [path for path, keywords in calls if "prefer" not in keywords] == []
