"""Nothing that the product reads can run code: no pickle, no eval, no loader that falls back."""

import ast
from pathlib import Path

from tests.imports import imports_of, is_within

ROOT = Path(__file__).resolve().parents[1]

MODULES = (
    "pickle", "cPickle", "_pickle", "dill", "cloudpickle", "shelve", "marshal", "yaml", "ruamel",
    "jsonpickle", "pickletools", "dbm", "imp", "h5py", "pandas", "tables",
)  # fmt: skip
"""Modules whose readers run what they read, or which a loader here has no use for."""

BUILTINS = ("eval", "exec", "compile", "__import__")

LOADERS = {
    # How it ends: what must stand in the call for it to be harmless.
    "torch.load": None,
    "np.load": ("allow_pickle", False),
    "numpy.load": ("allow_pickle", False),
    "np.fromfile": None,
    "np.memmap": None,
    "joblib.load": None,
    "torch.jit.load": None,
    "torch.package.PackageImporter": None,
    "os.system": None,
    "os.popen": None,
    "shutil.unpack_archive": None,
    "tarfile.open": None,
    "onnx.load": None,
    "xml.etree.ElementTree.parse": None,
}
"""Calls that are not made at all, or only so."""

TOKENISERS = {
    # Splits a pickle into instructions, and runs none of them.
    ("lmkl_core/features/weights/tensors.py", "pickletools"),
}


def files():
    return sorted([*(ROOT / "app").rglob("*.py"), *(ROOT / "lmkl_core").rglob("*.py")])


def dotted(node):
    """Return the name of what is called, such as ``torch.load``; empty where it has none."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{inner}.{node.attr}" if (inner := dotted(node.value)) else ""
    return ""


def unsafe_calls(source):
    """Yield the calls of a file that could run what a file holds."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        if name in BUILTINS:
            yield name
        elif name in LOADERS and not _is_harmless(node, LOADERS[name]):
            yield name
        if any(each.arg == "shell" and _is(each.value, True) for each in node.keywords):
            yield f"{name}(shell=True)"


def _is_harmless(call, wanted):
    return wanted is not None and any(
        each.arg == wanted[0] and _is(each.value, wanted[1]) for each in call.keywords
    )


def _is(node, value):
    return isinstance(node, ast.Constant) and node.value is value


def test_that_no_module_is_imported_whose_readers_run_what_they_read():
    found = {
        (str(path.relative_to(ROOT)), each.module)
        for path in files()
        for each in imports_of(path)
        if any(is_within(each.module, banned) for banned in MODULES)
    }
    assert found == TOKENISERS


def test_that_unsafe_calls_are_noticed_and_safe_ones_are_not():
    for source, noticed in {
        "torch.load(p)": ["torch.load"],
        "np.load(p)": ["np.load"],
        "np.load(p, allow_pickle=True)": ["np.load"],
        "np.load(p, allow_pickle=False)": [],
        "eval(text)": ["eval"],
        "module.eval()": [],
        "subprocess.run(line, shell=True)": ["subprocess.run(shell=True)"],
        "subprocess.run(line, shell=False)": [],
        "def f():\n    os.system(line)": ["os.system"],
    }.items():
        assert list(unsafe_calls(source)) == noticed, source


def test_that_no_call_can_run_what_a_file_holds():
    found = {
        (name, call)
        for path in files()
        for name in [path.relative_to(ROOT).as_posix()]
        for call in unsafe_calls(path.read_text(encoding="utf-8"))
    }
    assert found == set()
