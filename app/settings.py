"""What a person has chosen, kept between runs as one JSON file.

The file may be damaged or hostile: whatever cannot be used is replaced by its default and told in
one sentence. Importing this loads nothing heavy, because the launch waits for it.
"""

import dataclasses
import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from app import storage

AUTO: Final = "auto"

DETECTORS = (AUTO, "mtcnn", "yunet")
THEMES = ("system", "light", "dark")

WIDTHS = (160, 7680)
HEIGHTS = (120, 4320)
CLUSTERS = (1, 12)
CLUSTERS_A_PERSON = 2
"""More clusters for each further person, settled on real people (``benchmarks real``)."""
LEAST_NORM = 1.0
LEAST_TEMPERATURE = 1e-6
LARGEST_NUMBER = 1e12
"""Limits are those of `lmkl_core.LocalisedMKL`, or narrower; a test holds them together."""

MAX_RECENT = 8
LONGEST_TEXT = 4096
LONGEST_STATE = 16384
MAX_BYTES = 256 * 1024

VERSION = 2
"""Of the stored file; the first one had no number."""

Problems = dict[str, str]


@dataclass(frozen=True)
class Settings:
    """Everything that can be chosen; ``Settings()`` needs no touching.

    Attributes
    ----------
    source : str
        ``"auto"``: the first camera, and the demo where there is none. Otherwise any text that
        `app.capture.opening.source_from` takes.
    width, height : int
        Frame size asked of a camera.
    detector : {"auto", "mtcnn", "yunet"}
        Which face detector is used.
    preset : str
        Name or path of the preset that makes the views.
    delta : float
        Regulariser of the model.
    p, q : float
        Exponents of the norm on the kernel weights, at least 1.
    n_clusters : int
        Clusters of the model of one person; each further person adds `CLUSTERS_A_PERSON`, up to 12
        in all.
    temperature : float
        Of the softmax that makes memberships.
    target_bpcer : float, optional
        Share of genuine frames that the threshold may refuse, between 0 and 1. By default the
        threshold is a share of their usual score
        (`lmkl_core.calibration.threshold.operating_point`).
    theme : {"system", "light", "dark"}
        Look of the window.
    show_regions : bool
        Whether the preview shows what the networks look at.
    reopen_last : bool
        Whether the last model is opened at launch.
    recover_takes : bool
        Whether takes that no saved model holds are kept on disk, so that they can be brought back
        after an unexpected end (`app.session.recovery`).
    recent : tuple of str
        Paths of models, newest first.
    window, splitter : str
        The window's place and its parts' sizes, in Qt's own form as hexadecimal digits.
    """

    source: str = AUTO
    width: int = 640
    height: int = 480
    detector: str = AUTO
    preset: str = "texture"
    delta: float = 0.01
    p: float = 4 / 3
    q: float = 4 / 3
    n_clusters: int = 3
    temperature: float = 0.1
    target_bpcer: float | None = None
    theme: str = "system"
    show_regions: bool = True
    reopen_last: bool = True
    recover_takes: bool = True
    recent: tuple[str, ...] = ()
    window: str = ""
    splitter: str = ""

    @property
    def model_parameters(self) -> dict[str, Any]:
        """What `lmkl_core.LocalisedMKL` is made with, for one person."""
        names = ("delta", "p", "q", "n_clusters", "temperature", "target_bpcer")
        return {name: getattr(self, name) for name in names}

    def clusters_for(self, n_people: int) -> int:
        """Return the clusters of a model of so many people."""
        return min(self.n_clusters + CLUSTERS_A_PERSON * (n_people - 1), CLUSTERS[1])

    def with_recent(self, path: str) -> "Settings":
        """Return settings in which a model's path comes first; what cannot be kept is left out."""
        if _text_problem(path):
            return self
        others = tuple(known for known in self.recent if known != path)
        return dataclasses.replace(self, recent=(path, *others)[:MAX_RECENT])

    def without_recent(self, path: str) -> "Settings":
        """Return settings that no longer list a path, as when its file is gone."""
        others = tuple(known for known in self.recent if known != path)
        return dataclasses.replace(self, recent=others)

    def forgotten(self) -> "Settings":
        """Return the defaults with nothing of the person in them, after all was deleted."""
        kind = self.source.partition(":")[0]
        source = self.source if kind in (AUTO, "demo", "camera") else AUTO
        return Settings(source=source, theme=self.theme, recover_takes=self.recover_takes)

    def reset(self) -> "Settings":
        """Return the defaults, but with what nobody chose in a dialog: recent models and window."""
        return Settings(recent=self.recent, window=self.window, splitter=self.splitter)


def load() -> tuple[Settings, tuple[str, ...]]:
    """Return the stored settings, and one sentence for each thing that could not be used.

    Never raises: without a file these are the defaults.
    """
    path = storage.settings_file()
    try:
        values = json.loads(storage.read_text(path, MAX_BYTES))
    except FileNotFoundError:
        return Settings(), ()
    except OSError as error:
        return Settings(), (_unusable(f"cannot be read ({error.strerror or error})"),)
    except (json.JSONDecodeError, RecursionError):
        return Settings(), (_unusable("is damaged"),)
    except ValueError as error:
        # Also a whole number with thousands of digits, which Python refuses to read.
        return Settings(), (_unusable(str(error)[:80]),)
    if not isinstance(values, dict):
        return Settings(), (_unusable("holds no settings"),)
    return _from_values(values)


def save(settings: Settings) -> None:
    """Store the settings; a crash leaves the old ones.

    Raises
    ------
    ValueError
        If one of them is out of range, so that what is stored can be loaded.
    app.storage.StorageError
        If they cannot be written.
    """
    if problems := check(settings):
        name, sentence = next(iter(problems.items()))
        raise ValueError(f"The setting {name} cannot be kept: {sentence}")
    values = {"version": VERSION, **dataclasses.asdict(settings)}
    text = json.dumps(values, indent=2, allow_nan=False)
    storage.write_text(storage.settings_file(), text + "\n")


def check(settings: Settings) -> Problems:
    """Return a sentence for each field that cannot be used, by the field's name."""
    found = {name: rule(getattr(settings, name)) for name, rule in _RULES.items()}
    return {name: sentence for name, sentence in found.items() if sentence}


def _from_values(values: dict[str, Any]) -> tuple[Settings, tuple[str, ...]]:
    good: dict[str, Any] = {}
    problems: list[str] = []
    unknown = 0
    if values.pop("version", 1) == 1:
        # The first version's defaults and words, which were not a choice or are gone.
        former = {"target_bpcer": 0.05, "delta": AUTO, "n_clusters": AUTO}
        values = {name: value for name, value in values.items() if former.get(name) != value}
    for name, value in values.items():
        if name not in _RULES:
            unknown += 1
            continue
        if isinstance(value, list):
            value = tuple(value)
        if sentence := _RULES[name](value):
            problems.append(f"The setting {name} is back at its default: {sentence}")
        else:
            good[name] = _as_declared(name, value)
    if unknown:
        problems.append(
            f"The file of the settings names {unknown} that this version does not know; "
            "they are left out."
        )
    return Settings(**good), tuple(problems)


def _as_declared(name: str, value: Any) -> Any:
    """Return a whole number as a float where a float is declared."""
    return float(value) if name in _REALS and isinstance(value, int) else value


def _unusable(what: str) -> str:
    return (
        f"The file of the settings {what}, so the defaults are used; saving the settings makes a "
        "new one."
    )


# ---------------------------------------------------------------- one rule a field: "" if kept


def _text_problem(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        return "It must be a text that is not empty."
    if len(value) > LONGEST_TEXT:
        return f"It must have at most {LONGEST_TEXT} characters."
    # Control characters and lone surrogates can be neither shown nor typed.
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in value):
        return "It must be text without control characters."
    return ""


def _choice(choices: tuple[str, ...]) -> Callable[[Any], str]:
    listed = f"{', '.join(choices[:-1])} or {choices[-1]}"
    return lambda value: (
        "" if isinstance(value, str) and value in choices else f"It must be {listed}."
    )


def _whole(low: int, high: int) -> Callable[[Any], str]:
    def problem(value: Any) -> str:
        good = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return "" if good else f"It must be a whole number from {low} to {high}."

    return problem


def _real(low: float, *, above: bool = False, below: float | None = None) -> Callable[[Any], str]:
    """Rule for a number from ``low`` (or above it) to the largest, or under ``below``."""
    lowest = f"It must be a number {'above' if above else 'of at least'} {low:g}"
    largest = f"It must be a number of at most {LARGEST_NUMBER:g}."

    def problem(value: Any) -> str:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if is_number and value > LARGEST_NUMBER and below is None:
            return largest
        good = is_number and (value > low if above else value >= low)
        good = good and (below is None or value < below)
        return "" if good else f"{lowest}." if below is None else f"{lowest} and below {below:g}."

    return problem


def _optional(rule: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: "" if value is None else rule(value)


def _switch(value: Any) -> str:
    return "" if isinstance(value, bool) else "It must be true or false."


def _paths(value: Any) -> str:
    if not isinstance(value, tuple) or len(value) > MAX_RECENT:
        return f"It must be a list of at most {MAX_RECENT} paths."
    return next((sentence for path in value if (sentence := _text_problem(path))), "")


def _state(value: Any) -> str:
    good = (
        isinstance(value, str)
        and len(value) <= LONGEST_STATE
        and len(value) % 2 == 0
        and all(digit in "0123456789abcdef" for digit in value)
    )
    return "" if good else "It must be hexadecimal digits."


_REALS = ("delta", "p", "q", "temperature", "target_bpcer")

_RULES: dict[str, Callable[[Any], str]] = {
    "source": _text_problem,
    "width": _whole(*WIDTHS),
    "height": _whole(*HEIGHTS),
    "detector": _choice(DETECTORS),
    "preset": _text_problem,
    "delta": _real(0, above=True),
    "p": _real(LEAST_NORM),
    "q": _real(LEAST_NORM),
    "n_clusters": _whole(*CLUSTERS),
    "temperature": _real(LEAST_TEMPERATURE),
    "target_bpcer": _optional(_real(0, above=True, below=1)),
    "theme": _choice(THEMES),
    "show_regions": _switch,
    "reopen_last": _switch,
    "recover_takes": _switch,
    "recent": _paths,
    "window": _state,
    "splitter": _state,
}
