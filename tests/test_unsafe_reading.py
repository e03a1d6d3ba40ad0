"""Nothing that the product reads can run code: no pickle, no eval, no loader that falls back."""

import ast
from pathlib import Path

import pytest

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
    "torch.load": ("weights_only", True),
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

EXCEPTIONS = {
    # A graph that this program has just written, in a folder of its own that nobody else enters.
    ("lmkl_core/features/engines/export.py", "onnx.load"),
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


def unsafe_calls(path, source):
    """Yield the calls of a file that could run what a file holds."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        if name in BUILTINS:
            yield name
        elif name in LOADERS and not _is_harmless(node, LOADERS[name]):
            if (path, name) not in EXCEPTIONS:
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
    assert found == set()


def test_that_no_call_can_run_what_a_file_holds():
    found = {
        (name, call)
        for path in files()
        for name in [path.relative_to(ROOT).as_posix()]
        for call in unsafe_calls(name, path.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_that_every_exception_is_still_needed():
    for path, call in EXCEPTIONS:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert list(unsafe_calls("elsewhere", source)) == [call]


@pytest.mark.parametrize(
    "source",
    [
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "joblib.load(path)",
        "eval(text)",
        "exec(text)",
        "subprocess.run(text, shell=True)",
        "os.system(text)",
    ],
)
def test_that_these_rules_notice(source):
    assert list(unsafe_calls("x.py", source))


def test_that_these_rules_let_the_harmless_pass():
    source = "torch.load(p, weights_only=True); module.eval(); json.loads(t); re.compile('x')"
    assert list(unsafe_calls("x.py", source)) == []
