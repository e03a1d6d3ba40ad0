"""The package's names are there from the start, what they need is loaded with the first of them."""

import subprocess
import sys

import pytest
import sklearn.exceptions

import lmkl_core


def loaded_after(statement):
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


@pytest.mark.parametrize("statement", ["import lmkl_core", "import lmkl_core.errors"])
def test_that_importing_loads_no_numerics(statement):
    assert loaded_after(statement).isdisjoint({"numpy", "scipy", "sklearn"})


def test_that_using_a_name_loads_what_it_needs():
    assert "sklearn" in loaded_after("from lmkl_core import LocalisedMKL")


def test_that_every_public_name_is_found_and_listed():
    for name in lmkl_core.__all__:
        assert getattr(lmkl_core, name).__name__ == name
        assert name in dir(lmkl_core)


def test_that_an_unknown_name_is_reported_as_python_does():
    with pytest.raises(AttributeError, match="module 'lmkl_core' has no attribute 'nix'"):
        _ = lmkl_core.nix


def test_that_the_convergence_warning_is_scikit_learns():
    assert lmkl_core.ConvergenceWarning is sklearn.exceptions.ConvergenceWarning
