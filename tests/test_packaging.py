"""What a person gets after ``pip install``: the command, the README's lines, the CNN stack."""

import re
import subprocess
import sys
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON_BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def run(arguments, cwd):
    return subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, timeout=150)


def test_that_the_installed_command_prints_the_version(tmp_path):
    command = Path(sys.executable).with_name("lmkl-pad")
    result = run([str(command), "--version"], tmp_path)
    assert (result.returncode, result.stdout) == (0, f"lmkl-pad {version('lmkl-pad')}\n")


def test_that_the_module_is_the_same_command(tmp_path):
    result = run([sys.executable, "-m", "app", "--version"], tmp_path)
    assert (result.returncode, result.stdout) == (0, f"lmkl-pad {version('lmkl-pad')}\n")


def test_that_the_console_script_points_at_main():
    (script,) = entry_points(group="console_scripts", name="lmkl-pad")
    assert script.value == "app.__main__:main"


def test_that_the_readme_shows_python_lines():
    assert PYTHON_BLOCKS


@pytest.mark.parametrize("block", PYTHON_BLOCKS, ids=lambda block: block.splitlines()[0])
def test_that_the_readme_runs_as_written(block, tmp_path):
    result = run([sys.executable, "-W", "error", "-c", block], tmp_path)
    assert result.returncode == 0, result.stderr


def test_that_torch_and_torchvision_import_as_a_pair(tmp_path):
    # torchvision.ops registers compiled operators: a torch of another build fails here.
    result = run([sys.executable, "-c", "import torch, torchvision.ops"], tmp_path)
    assert result.returncode == 0, result.stderr
