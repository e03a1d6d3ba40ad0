"""Open models, ask for their passphrases, set up their pipelines and describe them as JSON values.

Passphrases come from a file, from the environment or from the terminal, never from the command
line, which other users can see and shells record.
"""

import getpass
import logging
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.cli.console import ExitCode, ProgressCallback, can_ask, option, say, stop
from app.models.files import LONGEST_NAME, PROTECTED_SUFFIX, difference_of, load
from app.models.model import PadModel, preset_name, preset_of
from app.models.summary import CERTIFIED_GAP, describe, known, threshold_facts
from app.names import cleaned_name
from app.vision.pipeline import Pipeline, make_pipeline
from lmkl_core.errors import InvalidInputError, ModelFileError, PassphraseNeeded, WrongPassphrase
from lmkl_core.features.extractor import preset_fingerprint
from lmkl_core.features.liveness import LivenessMeter
from lmkl_core.features.presets import (
    Crop,
    Preset,
    PresetError,
    load_preset,
    preset_from_dict,
    preset_names,
)
from lmkl_core.features.presets.file import crop_table
from lmkl_core.features.weights import entry_of, weights_names
from lmkl_core.model_file import check_passphrase

log = logging.getLogger(__name__)

VARIABLE = "LMKL_PAD_PASSPHRASE"
LONGEST_LINE = 8192  # bytes of a passphrase file's first line

PASSPHRASE_FILE = option(
    "--passphrase-file FILE",
    f"File whose first line is the model's passphrase; otherwise {VARIABLE} or the terminal is "
    "used.",
)


def pipeline_of(
    model: PadModel,
    detector: str,
    *,
    preset: str | None = None,
    progress: ProgressCallback | None = None,
) -> Pipeline:
    """Return a pipeline that computes the views a model was fitted on.

    Raises `ModelFileError` if they cannot be computed here, or are not those of ``preset``.
    """
    file = os.path.basename(model.path)
    wanted = _preset_of(model) if preset is None else load_preset(preset)
    if wanted.name != preset_of(model.features).get("name", ""):
        # Checked first, because preparing the networks takes a while.
        raise ModelFileError(
            f"Model file {file!r} was made with the views {preset_name(model.features)!r}, not "
            f"{wanted.name!r}: leave out --preset."
        )
    # Also before the weights are looked for: fetching them would not help.
    _check_views(model, {**model.features, "preset": preset_fingerprint(wanted)})
    _check_weights(model)
    pipeline = make_pipeline(wanted, detector, progress=progress)
    _check_views(model, pipeline.extractor.fingerprint())
    try:
        pipeline.meter = LivenessMeter.find(progress=progress)
    except InvalidInputError as error:
        log.warning("Liveness is not measured: %s", error)
    return pipeline


def _check_views(model: PadModel, features: Mapping[str, Any]) -> None:
    if difference := difference_of(model.features, features):
        raise _unfit(model, difference)


def _check_weights(model: PadModel) -> None:
    """Refuse a model made with weights that the program no longer knows."""
    weights = model.features.get("weights")
    for network, digest in weights.items() if isinstance(weights, Mapping) else ():
        if network not in weights_names() or not entry_of(network).matches(str(digest)):
            name = cleaned_name(str(network), LONGEST_NAME)
            raise _unfit(
                model, f"the weights of {name} have changed since it was made; enrol again"
            )


def _unfit(model: PadModel, difference: str) -> ModelFileError:
    file = os.path.basename(model.path)
    return ModelFileError(f"Model file {file!r} does not fit the views in use: {difference}.")


def _preset_of(model: PadModel) -> Preset:
    """Return a model's preset: a built-in one, or as stored in its file."""
    features = model.features
    name = str(preset_of(features).get("name", ""))
    if name in preset_names():
        return load_preset(name)
    if not name:
        raise _unfit(model, difference_of(features, {}))
    try:
        return preset_from_dict(_as_preset_file(features["preset"]))
    except (PresetError, InvalidInputError, TypeError, LookupError, AttributeError) as error:
        raise ModelFileError(
            f"Model file {os.path.basename(model.path)!r} uses views that cannot be computed here "
            f"({str(error).rstrip('.')}): use the version of the program it was made with."
        ) from error


def _as_preset_file(stored: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": stored["name"],
        "crops": {crop["name"]: crop_table(Crop(**crop)) for crop in stored["crops"]},
        # A preset file does not contain the descriptors' versions.
        "branches": [
            {key: value for key, value in branch.items() if key != "version"}
            for branch in stored["branches"]
        ],
    }


def uncertified(gap: float) -> str:
    return (
        f"The fit stopped at a relative gap of {gap:.1e}, above the {CERTIFIED_GAP:.0e} that "
        "counts as certified; the model can still be used."
    )


def model_facts(model: PadModel) -> dict[str, Any]:
    shown = describe(model)
    return {
        "file": model.path,
        "is_protected": model.is_protected,
        "digest": model.digest,
        "preset": shown.preset,
        "n_samples": shown.n_samples,
        "takes": list(shown.takes),
        "parameters": dict(shown.parameters),
        "relative_gap": known(shown.gap),
        "certified": shown.gap <= CERTIFIED_GAP,
        "is_simulated": model.is_simulated,
        "threshold": threshold_facts(shown.calibration),
        "notes": list(model.notes),
        "people": [
            {
                "name": person.name or None,
                "median_score": known(person.level),
                "bpcer": known(person.bpcer),
                "bpcer_interval": list(person.interval),
                "n_takes": person.n_takes,
                "n_frames": person.n_frames,
                "n_scores": person.n_scores,
                "n_effective": person.n_effective,
            }
            for person in shown.people
        ],
    }


def parity_facts(engine: str, n_compared: int, largest: float) -> dict[str, Any]:
    """Describe how the scores of a written model differ from those of the model in memory."""
    return {"engine": engine, "n_compared": n_compared, "largest_difference": largest}


def named_facts(model: PadModel) -> dict[str, Any]:
    """Return the facts that accompany a model's scores: its identity and its threshold."""
    facts = model_facts(model)
    names = ("file", "is_protected", "digest", "preset", "is_simulated", "threshold")
    return {name: facts[name] for name in names}


def open_model(
    path: Path, passphrase_file: Path | None, *, reads_only: bool = True
) -> tuple[PadModel, str | None]:
    """Load a model and return it with its passphrase, if it has one.

    With ``reads_only``, a passphrase file can only be meant for this model, which must then be
    protected.
    """
    if not reads_only or passphrase_file is None:
        try:
            return load(path), None
        except PassphraseNeeded:
            pass
    if (passphrase := _stored_passphrase(passphrase_file)) is not None:
        return load(path, passphrase=passphrase), passphrase
    _check_terminal(path)
    while True:
        typed = _typed(f"Passphrase of {path.name}: ")
        try:
            return load(path, passphrase=typed), typed
        except WrongPassphrase:
            say("The passphrase is wrong, or the file was changed: try again.")


def passphrase_for(
    path: Path,
    old: str | None,
    file: Path | None,
    new_file: Path | None = None,
    *,
    may_change: bool = False,
) -> str | None:
    """Return the passphrase for a new file; None if its suffix is not that of a protected model.

    A protected model keeps its ``old`` passphrase, unless ``new_file`` contains another or, with
    ``may_change``, another is typed.
    """
    if path.suffix.lower() != PROTECTED_SUFFIX:
        if new_file is not None or (file is not None and old is None):
            stop(
                f"{path.name} would not be protected: name it FILE{PROTECTED_SUFFIX}, or leave out "
                "the passphrase.",
                ExitCode.USAGE,
            )
        if old is not None:
            say(f"{path.name} is not protected: anyone who gets it can read the features in it.")
        return None
    if new_file is not None or old is None:
        stored = _stored_passphrase(new_file or file)
        return _typed_twice(path) if stored is None else _checked(stored)
    if may_change and file is None and not os.environ.get(VARIABLE) and can_ask():
        return _typed_twice(path, kept=old)
    return _checked(old)


def _typed_twice(path: Path, kept: str | None = None) -> str:
    """Ask for a new passphrase; an empty line returns ``kept``, if there is one."""
    _check_terminal(path)
    say("Without its passphrase the model cannot be opened, not even by us: keep it safe.")
    keeps = "" if kept is None else " (empty keeps the old one)"
    while True:
        typed = _typed(f"New passphrase for {path.name}{keeps}: ")
        if kept is not None and not typed:
            return _checked(kept)
        if problem := check_passphrase(typed):
            say(problem)
        elif _typed("The same again: ") != typed:
            say("The two passphrases differ: try again.")
        else:
            return typed


def _checked(passphrase: str) -> str:
    """Return the passphrase; stop with one sentence if it is too weak."""
    if problem := check_passphrase(passphrase):
        stop(problem, ExitCode.NO_PASSPHRASE)
    return passphrase


def _stored_passphrase(file: Path | None) -> str | None:
    """Return the passphrase from the file or else from the environment; None without either."""
    return (os.environ.get(VARIABLE) or None) if file is None else _first_line(file)


def _first_line(file: Path) -> str:
    try:
        with open(file, "rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            if os.name == "posix" and stat.S_ISREG(mode) and mode & (stat.S_IRWXG | stat.S_IRWXO):
                say(f"Other users can read {file}: restrict it with chmod 600.")
            line = stream.readline(LONGEST_LINE)
        text = line.decode("utf-8-sig").rstrip("\r\n")
    except OSError as error:
        why = error.strerror or error
        stop(f"Cannot read a passphrase from {file} ({why}): check the path.", ExitCode.BAD_INPUT)
    except UnicodeDecodeError:
        stop(
            f"The first line of {file} is not UTF-8 text: save the file as UTF-8.",
            ExitCode.BAD_INPUT,
        )
    if not text:
        stop(f"The first line of {file} is empty: write the passphrase there.", ExitCode.BAD_INPUT)
    return text


def _check_terminal(path: Path) -> None:
    """Stop if there is no terminal: a script would wait forever."""
    if not can_ask():
        stop(
            f"{path.name} needs a passphrase: give it with --passphrase-file or in {VARIABLE}, or "
            "run this on a terminal.",
            ExitCode.NO_PASSPHRASE,
        )


def _typed(prompt: str) -> str:
    """Ask on standard error without showing the answer."""
    try:
        return getpass.getpass(prompt, stream=sys.stderr)
    except EOFError:
        stop("No passphrase was entered.", ExitCode.NO_PASSPHRASE)
    except UnicodeDecodeError:
        stop("The input is not text: check the terminal's encoding.", ExitCode.NO_PASSPHRASE)
