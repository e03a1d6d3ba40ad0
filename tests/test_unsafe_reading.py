"""Nothing that the product reads can run code: no pickle, no eval, no shell, no unsafe loader."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("app", "lmkl_core")

BANNED = """
    pickle cPickle _pickle dill cloudpickle shelve marshal yaml ruamel jsonpickle pickletools dbm
    imp h5py pandas tables
    torch.load torch.jit.load torch.package.PackageImporter numpy.load numpy.fromfile numpy.memmap
    joblib.load onnx.load os.system os.popen shutil.unpack_archive tarfile.open
    xml.etree.ElementTree.parse
""".split()
"""Modules and functions whose readers run what they read, or that have no use here."""

RULES = "TID251,S102,S301,S302,S307,S602,S604"
"""Banned names; exec, pickle, marshal, eval; commands run by a shell."""

# Splits a pickle into instructions without running any of them.
ALLOWED = ["lmkl_core/features/weights/tensors.py: TID251 `pickletools` is banned: unsafe"]


def test_that_no_module_or_function_that_runs_what_it_reads_is_used(tmp_path):
    config = tmp_path / "ruff.toml"
    rows = "".join(f'"{name}".msg = "unsafe"\n' for name in BANNED)
    config.write_text(f"[lint.flake8-tidy-imports.banned-api]\n{rows}")
    command = [sys.executable, "-m", "ruff", "check", *PACKAGES, "--no-cache", "--config", config]
    options = ["--select", RULES, "--ignore-noqa", "--output-format", "concise", "--quiet"]
    found = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)
    assert re.sub(r":\d+:\d+:", ":", found.stdout).splitlines() == ALLOWED, found.stderr


def test_that_nothing_is_compiled_or_imported_by_a_builtin():
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"(?<![\w.])(compile|__import__)\(", source), path
