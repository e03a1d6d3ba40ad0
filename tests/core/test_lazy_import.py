"""Public names exist from the start; NumPy and others are imported on first use."""

import subprocess
import sys

import lmkl_core


def loaded_after(statement):
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def test_that_importing_loads_no_numerics():
    loaded = loaded_after("import lmkl_core.errors")
    assert "lmkl_core" in loaded
    assert loaded.isdisjoint({"numpy", "scipy", "sklearn"})


def test_that_every_public_name_is_found_and_listed():
    for name in lmkl_core.__all__:
        assert getattr(lmkl_core, name).__name__ == name
        assert name in dir(lmkl_core)
    assert not hasattr(lmkl_core, "nothing")
