"""``lmkl-pad doctor``: what is needed, whether it is there, and what to do about it.

An error inside a check is its finding and stops no other. That is why checks import what they need
themselves: a package that is broken or missing is one of the things to find out.
"""

import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path

from rich.console import Console
from rich.text import Text

from app import storage
from app.cli.console import AS_JSON, QUIET, ExitCode, Tell, option, print_json, progress_bar, stop
from app.settings import Settings
from app.settings import load as load_settings
from lmkl_core.errors import InvalidInputError

_STYLES = {"ok": "green", "note": "yellow", "not ok": "bold red"}
_WIDTH = max(map(len, _STYLES))

DISTRIBUTION = "lmkl-pad"

LITTLE_SPACE = 1 << 30
NO_SPACE = 1 << 27
"""Bytes: the paper's networks take a few hundred megabytes, models less than one."""


class State(StrEnum):
    """How a check came out."""

    OK = "ok"
    NOTE = "note"
    """Not as it could be, but nothing that is needed."""
    BAD = "not ok"


@dataclass(frozen=True)
class Finding:
    """One line of the check-up; ``advice`` is empty if there is nothing to do."""

    check: str
    state: State
    found: str
    advice: str = ""


def command(
    preset: str | None = option(
        "--preset NAME", "Try the weights and the engine of these views; by default the settings'."
    ),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Check what the program needs: each line is ok, a note, or not ok with what to do.

    Cameras are listed without opening one. Networks are tried in a process of their own, which
    takes some seconds the first time.
    """
    console = Console(highlight=False)
    findings: list[Finding] = []
    with progress_bar("looking around", hidden=as_json or quiet) as tell:
        for finding in check_up(preset, tell):
            findings.append(finding)
            if not (as_json or quiet):
                _print(finding, console)
    bad = [finding for finding in findings if finding.state is State.BAD]
    if as_json:
        checks = [asdict(finding) for finding in findings]
        print_json({"ok": not bad, "checks": checks, "versions": versions()})
    if bad:
        names = ", ".join(dict.fromkeys(finding.check for finding in bad))
        first = bad[0]
        what = f"{first.found.rstrip('.')}. {first.advice}".strip() if quiet else "see above."
        stop(f"Not in order: {names}; {what}", ExitCode.UNHEALTHY)


def _print(finding: Finding, console: Console) -> None:
    """Print one line, and below it what to do."""
    line = Text()
    line.append(finding.state.value.ljust(_WIDTH), _STYLES[finding.state.value])
    line.append(f"  {finding.check}: ", "bold")
    line.append(finding.found)
    console.print(line, soft_wrap=True)
    if finding.advice:
        console.print(Text(f"{' ' * (_WIDTH + 2)}-> {finding.advice}"), soft_wrap=True)


def check_up(preset: str | None = None, progress: Tell | None = None) -> Iterator[Finding]:
    """Check everything, the quick parts first.

    ``preset`` names the views whose weights and engine are tried, by default those of the settings.
    ``progress`` is called while networks are prepared, which takes seconds the first time.
    """
    settings, problems = load_settings()
    chosen = preset or settings.preset
    checks: tuple[tuple[str, Callable[[], Iterator[Finding]]], ...] = (
        ("python", _python),
        ("packages", _packages),
        ("settings", lambda: _settings(problems)),
        ("folders", _folders),
        ("screen", _screen),
        ("cameras", _cameras),
        ("weights", lambda: _weights(chosen)),
        ("liveness", _liveness),
        ("detector", lambda: _detector(settings)),
        ("engine", lambda: _engine(chosen, progress)),
    )
    for name, check in checks:
        try:
            yield from check()
        except Exception as error:
            told = " ".join(str(error).split()) or type(error).__name__
            # Our own errors name the way out themselves.
            advice = "" if isinstance(error, InvalidInputError) else f"Install {DISTRIBUTION} anew."
            yield Finding(name, State.BAD, told, advice)


# ------------------------------------------------------------- software


def _python() -> Iterator[Finding]:
    from packaging.specifiers import SpecifierSet

    found = f"{platform.python_version()} on {platform.platform(terse=True)}, {sys.executable}"
    wanted = metadata.metadata(DISTRIBUTION)["Requires-Python"] or ""
    if SpecifierSet(wanted).contains(platform.python_version(), prereleases=True):
        yield Finding("python", State.OK, found)
    else:
        yield Finding("python", State.BAD, found, f"Use a Python {wanted}.")


def versions() -> dict[str, str | None]:
    """Return the version of every package in use, None where one is missing."""
    return {name: version for name, version, _ in _requirements()}


def _requirements() -> Iterator[tuple[str, str | None, bool]]:
    """Yield name, version and whether that version will do; torch only if it is installed."""
    from packaging.requirements import Requirement

    yield DISTRIBUTION, metadata.version(DISTRIBUTION), True
    for text in metadata.requires(DISTRIBUTION) or []:
        requirement = Requirement(text)
        marker = requirement.marker
        is_needed = marker is None or marker.evaluate({"extra": ""})
        if not is_needed and not (marker and marker.evaluate({"extra": "torch"})):
            continue
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            if is_needed:
                yield requirement.name, None, False
        else:
            fits = requirement.specifier.contains(version, prereleases=True)
            yield requirement.name, version, fits


def _packages() -> Iterator[Finding]:
    found = list(_requirements())
    missing = [name for name, version, _ in found if version is None]
    unfit = [f"{name} {version}" for name, version, fits in found if version and not fits]
    if missing or unfit:
        told = [f"missing: {', '.join(missing)}"] * bool(missing)
        told += [f"of another version than is needed: {', '.join(unfit)}"] * bool(unfit)
        advice = f"Install them: pip install --upgrade {DISTRIBUTION}."
        yield Finding("packages", State.BAD, "; ".join(told), advice)
    else:
        listed = ", ".join(f"{name} {version}" for name, version, _ in found)
        yield Finding("packages", State.OK, listed)


def _settings(problems: tuple[str, ...]) -> Iterator[Finding]:
    file = storage.settings_file()
    for problem in problems:
        yield Finding("settings", State.NOTE, problem, f"Mend or delete {file}.")
    if not problems:
        there = "readable" if file.exists() else "not there yet: the defaults are used"
        yield Finding("settings", State.OK, f"{file}, {there}")


# ------------------------------------------------------------- folders


def _folders() -> Iterator[Finding]:
    from lmkl_core.features.weights import weights_folder
    from lmkl_core.features.weights.store import FOLDER_VARIABLE
    from lmkl_core.system.files import CACHE_VARIABLE

    yield folder_finding("settings folder", storage.config_folder(), storage.CONFIG_VARIABLE)
    yield folder_finding("data folder", storage.personal_folder(), storage.DATA_VARIABLE)
    yield folder_finding("weights folder", weights_folder(), FOLDER_VARIABLE)
    yield folder_finding("cache folder", storage.cache_folder(), CACHE_VARIABLE)


def folder_finding(name: str, folder: Path, variable: str) -> Finding:
    """Check that a folder, or the nearest one above it that exists, can be written and has room.

    ``variable`` is the environment variable that names another folder.
    """
    elsewhere = f"or name another folder in the environment variable {variable}."
    there = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
        free = shutil.disk_usage(there).free
    except OSError as error:
        why = error.strerror or str(error)
        advice = f"Make {there} a folder that you may write to, {elsewhere}"
        return Finding(name, State.BAD, f"{folder} cannot be written: {why}", advice)
    found = f"{folder}, {free / 1e9:.1f} GB free"
    if free < NO_SPACE:
        return Finding(name, State.BAD, found, f"Make room there, {elsewhere}")
    if free < LITTLE_SPACE:
        return Finding(name, State.NOTE, found, f"Little is left: make room there, {elsewhere}")
    return Finding(name, State.OK, found)


# ------------------------------------------------------------- devices


def _screen() -> Iterator[Finding]:
    from app.launch import why_no_screen

    if sentence := why_no_screen():
        advice = "Nothing, unless you want the window: every command works without one."
        yield Finding("screen", State.NOTE, sentence, advice)
    else:
        yield Finding("screen", State.OK, "a window can be shown")


def _cameras() -> Iterator[Finding]:
    from app.capture.source import Cause, advice
    from app.capture.webcam import list_cameras, why_not_opened

    cameras = list_cameras()
    if not cameras:
        advised = "Plug one in, or use the demo, files or a network camera."
        yield Finding("camera", State.NOTE, "none found", advised)
    for camera in cameras:
        cause = why_not_opened(camera)
        if cause in (Cause.PERMISSION, Cause.BUSY):
            told = advice(cause, f"The camera {camera.name}")
            state = State.BAD if cause is Cause.PERMISSION else State.NOTE
            yield Finding("camera", state, f"{camera.name}: {cause.value}", told)
        elif camera.is_virtual:
            yield Finding("camera", State.NOTE, camera.label, camera.remark)
        else:
            yield Finding("camera", State.OK, camera.name)


# ------------------------------------------------------------- seeing


def _weights(preset: str) -> Iterator[Finding]:
    from lmkl_core.features.engines.engine import INSTALL_TORCH, has_torch
    from lmkl_core.features.networks.registry import NETWORKS
    from lmkl_core.features.presets import load_preset
    from lmkl_core.features.weights import inspect
    from lmkl_core.features.weights.catalogue import CATALOGUE
    from lmkl_core.features.weights.store import Checksum

    needed = load_preset(preset).networks
    found = {entry.name: inspect(entry) for entry in CATALOGUE}
    absent = []
    for name, finding in found.items():
        if finding.checksum is Checksum.RIGHT:
            if name in needed:
                yield Finding("weights", State.OK, f"{name}, for the preset {preset}")
        elif finding.checksum is Checksum.NONE and name not in needed:
            absent.append(name)
        else:
            missing = finding.checksum is Checksum.NONE
            what = "missing" if missing else f"{finding.path} is damaged"
            how = f"lmkl-pad weights fetch {name}"
            if name in NETWORKS and NETWORKS[name].needs_torch and not has_torch():
                how = f"{INSTALL_TORCH}, then {how}"
            advice = f"Get them: {how}." if missing else f"Delete the file, then: {how}."
            yield Finding("weights", State.BAD, f"{name}: {what}", advice)
    if absent:
        advice = "Nothing, unless a preset needs them: lmkl-pad weights fetch NAME gets them"
        if not has_torch():
            advice += f", and {INSTALL_TORCH} the paper's networks to run"
        advice += "."
        yield Finding("weights", State.NOTE, f"not here: {', '.join(absent)}", advice)


def _liveness() -> Iterator[Finding]:
    from lmkl_core.features.liveness import LIVENESS, missing_weights

    absent = [entry.name for entry in missing_weights()]
    if not absent:
        yield Finding("liveness", State.OK, f"{' and '.join(LIVENESS.networks)} judge every frame")
        return
    how = f"lmkl-pad weights fetch {' '.join(absent)}"
    advice = f"Optional. To tell the live person from an attack in a new light: {how}."
    yield Finding("liveness", State.NOTE, f"not here: {', '.join(absent)}", advice)


def _detector(settings: Settings) -> Iterator[Finding]:
    from app.demo.renderer.camera import unpacked
    from app.demo.script import script
    from app.demo.source import opening_of
    from app.vision.faces.detector import make_detector
    from lmkl_core.features.weights import weights_folder

    detector = make_detector(settings.detector, weights_folder())
    opening = opening_of(script().loop[0])
    if not opening:
        advice = f"Install {DISTRIBUTION} anew."
        yield Finding("detector", State.BAD, "the demo's picture is missing", advice)
        return
    n_faces = len(detector.detect(unpacked(opening[0])))
    if n_faces == 1:
        yield Finding("detector", State.OK, f"{detector.name} finds the face of the demo's picture")
        return
    found = f"{detector.name} finds {n_faces} faces in a picture of one"
    yield Finding("detector", State.BAD, found, "Choose another detector in the settings.")


def _engine(preset: str, progress: Tell | None) -> Iterator[Finding]:
    """Prepare the views as any command would; engines are first tried in a process of their own."""
    from time import perf_counter

    import numpy as np

    from lmkl_core.features.engines.cache import Cache
    from lmkl_core.features.extractor import Extractor
    from lmkl_core.features.presets import load_preset

    extractor = Extractor(load_preset(preset), progress=progress)
    rng = np.random.default_rng(0)
    crops = {
        crop.name: rng.integers(0, 256, (crop.size, crop.size, 3), np.uint8)
        for crop in extractor.preset.crops
    }
    extractor(crops)  # the first call sets up what later ones reuse
    began = perf_counter()
    views = extractor(crops)
    milliseconds = 1000 * (perf_counter() - began)
    engines = " and ".join(extractor.engine_names)
    found = f"{engines}: {len(views)} views of the preset {preset} in {milliseconds:.0f} ms"
    yield Finding("engine", State.OK, found)
    for note in extractor.notes:
        advice = "Nothing: it is slower, but gives the same views."
        yield Finding("engine", State.NOTE, note, advice)
    for probe in Cache().failed_probes():
        told = f"{probe.engine} failed with {probe.label}: {probe.problem}"
        yield Finding("engine", State.NOTE, told, "Nothing: another engine is used instead.")
