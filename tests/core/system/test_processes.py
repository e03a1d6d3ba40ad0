"""Child processes, from an installation and from a one-folder build."""

import json
import os
import subprocess
import sys
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
    """Pretend to be a one-folder build, as PyInstaller marks it."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", "/opt/lmkl-pad/_internal", raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/lmkl-pad/lmkl-pad")


def test_that_an_installation_runs_modules_with_its_python_and_this_code(monkeypatch):
    assert not processes.is_frozen()
    assert processes.module_command(PROBE) == [sys.executable, "-P", "-m", PROBE]
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    path = processes.module_environment()["PYTHONPATH"]
    assert path == os.pathsep.join([str(ROOT), "/elsewhere"])
    parallel = Parallel(n_jobs=2, prefer=processes.preferred_workers())
    assert not isinstance(parallel._backend, ThreadingBackend)


def test_that_a_build_runs_modules_with_itself_and_uses_threads(frozen):
    assert processes.is_frozen()
    command = processes.module_command(PROBE)
    assert command == ["/opt/lmkl-pad/lmkl-pad", processes.RUN_MODULE, PROBE]
    environment = processes.module_environment()
    assert environment["PYINSTALLER_RESET_ENVIRONMENT"] == "1"
    assert environment.get("PYTHONPATH") == os.environ.get("PYTHONPATH")
    parallel = Parallel(n_jobs=2, prefer=processes.preferred_workers())
    assert isinstance(parallel._backend, ThreadingBackend)


def test_that_a_build_understands_its_own_command(frozen, monkeypatch):
    for name in entry.MODULES:
        assert callable(import_module(name).main)
    ran = []
    monkeypatch.setattr(import_module(PROBE), "main", lambda: ran.append(sys.argv))
    monkeypatch.setattr(sys, "argv", ["before"])
    command = [*processes.module_command(PROBE), "model", "picture"]
    assert entry.run_if_asked(command)
    assert ran == [["/opt/lmkl-pad/lmkl-pad", "model", "picture"]]


def test_that_other_commands_are_left_to_the_command_line():
    for arguments in [[], ["demo"], ["score", processes.RUN_MODULE, PROBE]]:
        assert not entry.run_if_asked(["lmkl-pad", *arguments])


def test_that_a_build_runs_no_other_module():
    for arguments in [[], ["os"], ["app.cli.main"], ["http.server"]]:
        with pytest.raises(SystemExit, match=processes.RUN_MODULE):
            entry.run_if_asked(["lmkl-pad", processes.RUN_MODULE, *arguments])


def test_that_the_entry_of_a_build_answers_as_a_child():
    # Like the executable, but with Python in its place.
    command = [sys.executable, str(ROOT / "bundling" / "entry.py"), processes.RUN_MODULE, PROBE]
    done = subprocess.run(
        command,
        input='["onnxruntime", "nowhere", {}]',
        env=processes.module_environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "missing required field" in json.loads(done.stdout)["problem"]


def test_that_other_programs_do_not_inherit_the_libraries_of_a_build():
    environment = {"LD_LIBRARY_PATH": "/build", "LD_LIBRARY_PATH_ORIG": "/mine", "HOME": "/h"}
    entry.restore_library_paths(environment)
    assert environment == {"LD_LIBRARY_PATH": "/mine", "HOME": "/h"}
    environment = {"LD_LIBRARY_PATH": "/build", "DYLD_LIBRARY_PATH": "/build"}
    entry.restore_library_paths(environment)
    assert environment == {}
