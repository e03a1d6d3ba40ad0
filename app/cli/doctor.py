"""``lmkl-pad doctor``: check what the program needs, and advise on what is missing.

An exception in a check is its finding; the other checks still run. Checks import what they need
themselves, because a missing or broken package is one of the things to find.
"""

import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from app import storage
from app.cli.console import (
    AS_JSON,
    QUIET,
    ExitCode,
    ProgressCallback,
    option,
    print_json,
    progress_bar,
    stop,
)
from app.names import with_command
from app.settings import load as load_settings
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.weights.store import FOLDER_VARIABLE, weights_folder
from lmkl_core.system.files import CACHE_VARIABLE, cache_folder

DISTRIBUTION = "lmkl-pad"

LITTLE_SPACE = 1 << 30
NO_SPACE = 1 << 27  # bytes: the paper's networks take a few hundred megabytes, models less than one


class State(StrEnum):
    """The outcome of a check; a note is about something optional."""

    OK = "ok"
    NOTE = "note"
    BAD = "not ok"


_STYLES = {State.OK: "green", State.NOTE: "yellow", State.BAD: "bold red"}


class Finding(NamedTuple):
    """One line of the output; ``advice`` is empty if there is nothing to do."""

    check: str
    state: State
    found: str
    advice: str = ""


Found = Iterator[tuple[State, str] | tuple[State, str, str]]
"""The findings of a check, without its name."""


def command(
    preset: str | None = option(
        "--preset NAME",
        "Check the weights and the engine of this preset instead of the one in the settings.",
    ),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Check this machine: each line is ok, a note, or not ok with advice.

    Cameras are listed without opening them. Networks are tried in a child process, which takes
    a few seconds the first time.
    """
    console = Console(highlight=False)
    findings: list[Finding] = []
    with progress_bar("checking", hidden=as_json or quiet) as progress:
        for finding in run_checks(preset, progress):
            findings.append(finding)
            if not (as_json or quiet):
                state = (f"{finding.state:6}", _STYLES[finding.state])
                line = Text.assemble(state, (f"  {finding.check}: ", "bold"), finding.found)
                if finding.advice:
                    line.append(f"\n        -> {finding.advice}")
                console.print(line, soft_wrap=True)
    bad = [finding for finding in findings if finding.state is State.BAD]
    if as_json:
        checks = [finding._asdict() for finding in findings]
        print_json({"ok": not bad, "checks": checks, "versions": versions()})
    if bad:
        names = ", ".join(dict.fromkeys(finding.check for finding in bad))
        what = f"{bad[0].found.rstrip('.')}. {bad[0].advice}".strip() if quiet else "see above."
        stop(f"Not ok: {names}; {what}", ExitCode.UNHEALTHY)


def run_checks(
    preset: str | None = None, progress: ProgressCallback | None = None
) -> Iterator[Finding]:
    """Check everything, quick parts first; ``preset`` replaces the one in the settings."""
    settings, problems = load_settings()
    chosen = preset or settings.preset
    checks: dict[str, Callable[[], Found]] = {
        "python": _python,
        "packages": _packages,
        "settings": partial(_settings, problems),
        "settings folder": lambda: folder(storage.config_folder(), storage.CONFIG_VARIABLE),
        "data folder": lambda: folder(storage.personal_folder(), storage.DATA_VARIABLE),
        "weights folder": lambda: folder(weights_folder(), FOLDER_VARIABLE),
        "cache folder": lambda: folder(cache_folder(), CACHE_VARIABLE),
        "screen": _screen,
        "camera": _cameras,
        "weights": partial(_weights, chosen),
        "liveness": _liveness,
        "detector": partial(_detector, settings.detector),
        "engine": partial(_engine, chosen, progress),
    }
    for name, check in checks.items():
        try:
            for found in check():
                yield Finding(name, *found)
        except Exception as error:
            sentence = " ".join(with_command(error).split()) or type(error).__name__
            # Our own errors contain the advice.
            advice = "" if isinstance(error, InvalidInputError) else f"Reinstall {DISTRIBUTION}."
            yield Finding(name, State.BAD, sentence, advice)


def _python() -> Found:
    from packaging.specifiers import SpecifierSet

    found = f"{platform.python_version()} on {platform.platform(terse=True)}, {sys.executable}"
    wanted = metadata.metadata(DISTRIBUTION)["Requires-Python"] or ""
    if SpecifierSet(wanted).contains(platform.python_version(), prereleases=True):
        yield State.OK, found
    else:
        yield State.BAD, found, f"Use Python {wanted}."


def versions() -> dict[str, str | None]:
    """Return the version of every required package, None if it is missing."""
    return {name: version for name, version, _ in _requirements()}


def _requirements() -> Iterator[tuple[str, str | None, bool]]:
    """Yield name, version and whether the version is accepted; torch only if it is installed."""
    from packaging.requirements import Requirement

    yield DISTRIBUTION, metadata.version(DISTRIBUTION), True
    for requirement in map(Requirement, metadata.requires(DISTRIBUTION) or []):
        marker = requirement.marker
        is_needed = marker is None or marker.evaluate({"extra": ""})
        if not is_needed and not (marker and marker.evaluate({"extra": "torch"})):
            continue
        try:
            version = metadata.version(requirement.name)
            fits = requirement.specifier.contains(version, prereleases=True)
            yield requirement.name, version, fits
        except metadata.PackageNotFoundError:
            if is_needed:
                yield requirement.name, None, False


def _packages() -> Found:
    found = list(_requirements())
    missing = [name for name, version, _ in found if version is None]
    unfit = [f"{name} {version}" for name, version, fits in found if version and not fits]
    if missing or unfit:
        problems = {"missing": missing, "wrong version": unfit}
        what = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in problems.items() if names)
        yield State.BAD, what, f"Install them: pip install --upgrade {DISTRIBUTION}."
    else:
        yield State.OK, ", ".join(f"{name} {version}" for name, version, _ in found)


def _settings(problems: tuple[str, ...]) -> Found:
    file = storage.settings_file()
    for problem in problems:
        yield State.NOTE, problem, f"Fix or delete {file}."
    if not problems:
        state = "readable" if file.exists() else "not created yet: the defaults are used"
        yield State.OK, f"{file}, {state}"


def folder(path: Path, variable: str) -> Found:
    """Check that a folder, or its nearest existing parent, is writable and has room.

    ``variable`` is the environment variable that sets another folder.
    """
    elsewhere = f"or set another folder in the environment variable {variable}."
    existing = next((place for place in (path, *path.parents) if place.exists()), path)
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
        free = shutil.disk_usage(existing).free
    except OSError as error:
        advice = f"Make {existing} a writable folder, {elsewhere}"
        yield State.BAD, f"{path} cannot be written: {error.strerror or error}", advice
        return
    found = f"{path}, {free / 1e9:.1f} GB free"
    if free < NO_SPACE:
        yield State.BAD, found, f"Free some space there, {elsewhere}"
    elif free < LITTLE_SPACE:
        yield State.NOTE, found, f"Little space is left: free some, {elsewhere}"
    else:
        yield State.OK, found


def _screen() -> Found:
    from app.launch import why_no_screen

    advice = "Only the window needs a screen; every command works without one."
    if sentence := why_no_screen():
        yield State.NOTE, sentence, advice
    else:
        yield State.OK, "a window can be shown"


def _cameras() -> Found:
    from app.capture.source import Cause, advice
    from app.capture.webcam import list_cameras, why_not_opened

    cameras = list_cameras()
    if not cameras:
        yield State.NOTE, "none found", "Plug one in, or use the demo, files or a network camera."
    states = {Cause.PERMISSION: State.BAD, Cause.BUSY: State.NOTE}
    for camera in cameras:
        cause = why_not_opened(camera)
        if state := states.get(cause):
            what_to_do = advice(cause, f"The camera {camera.name}")
            yield state, f"{camera.name}: {cause.value}", what_to_do
        elif camera.is_virtual:
            yield State.NOTE, camera.label, camera.remark
        else:
            yield State.OK, camera.name


def _weights(preset: str) -> Found:
    from lmkl_core.features.engines.engine import INSTALL_TORCH, has_torch
    from lmkl_core.features.networks.registry import NETWORKS
    from lmkl_core.features.presets import load_preset
    from lmkl_core.features.weights import inspect
    from lmkl_core.features.weights.catalogue import CATALOGUE
    from lmkl_core.features.weights.store import Checksum

    needed = load_preset(preset).networks
    absent = []
    for entry in CATALOGUE:
        name, finding = entry.name, inspect(entry)
        how = f"lmkl-pad weights fetch {name}."
        if name in NETWORKS and NETWORKS[name].needs_torch and not has_torch():
            how = f"{INSTALL_TORCH}, then {how}"
        if finding.checksum is Checksum.NONE:
            if name in needed:
                yield State.BAD, f"{name}: missing", f"Get them: {how}"
            else:
                absent.append(name)
        elif finding.checksum is not Checksum.RIGHT:
            found = f"{name}: {finding.path} is damaged"
            yield State.BAD, found, f"Delete the file, then: {how}"
        elif name in needed:
            yield State.OK, f"{name}, for the preset {preset}"
    if absent:
        advice = "Only some presets need them: get them with lmkl-pad weights fetch NAME."
        if not has_torch():
            advice += f" The paper's networks also need torch: {INSTALL_TORCH}."
        yield State.NOTE, f"not installed: {', '.join(absent)}", advice


def _liveness() -> Found:
    from lmkl_core.features.liveness import LIVENESS, missing_weights

    if absent := [entry.name for entry in missing_weights()]:
        how = f"lmkl-pad weights fetch {' '.join(absent)}"
        advice = f"Optional; they separate live faces from attacks in a new light: {how}."
        yield State.NOTE, f"not installed: {', '.join(absent)}", advice
    else:
        yield State.OK, f"{' and '.join(LIVENESS.networks)} judge every frame"


def _detector(name: str) -> Found:
    from app.demo.renderer.camera import unpacked
    from app.demo.source import opening
    from app.vision.faces.detector import make_detector

    detector = make_detector(name)
    n_faces = len(detector.detect(unpacked(opening()[0])))
    if n_faces == 1:
        yield State.OK, f"{detector.name} finds the face in the demo's picture"
    else:
        found = f"{detector.name} finds {n_faces} faces in a picture of one"
        yield State.BAD, found, "Choose another detector in the settings."


def _engine(preset: str, progress: ProgressCallback | None) -> Found:
    """Compute views as every command does; engines are first tried in a separate process."""
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
    extractor(crops)  # warm up
    began = perf_counter()
    views = extractor(crops)
    milliseconds = 1000 * (perf_counter() - began)
    engines = " and ".join(extractor.engine_names)
    yield State.OK, f"{engines}: {len(views)} views of the preset {preset} in {milliseconds:.0f} ms"
    for note in extractor.notes:
        yield State.NOTE, note, "No action needed: it is slower, but gives the same views."
    for probe in Cache().failed_probes():
        failure = f"{probe.engine} failed with {probe.label}: {probe.problem}"
        yield State.NOTE, failure, "No action needed: another engine is used instead."
