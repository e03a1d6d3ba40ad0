"""The person's choices, kept between runs as one JSON file.

The file may be damaged or hostile: a value that cannot be used becomes its default, with one
sentence. This module is light, because the launch waits for it.
"""

import dataclasses
import json
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

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
    """Everything that can be chosen; the defaults need no touching."""

    source: str = AUTO
    """The first camera, else the demo; or any text that `app.capture.opening.source_from` takes."""
    width: int = 640
    height: int = 480
    detector: str = AUTO
    preset: str = "texture"
    """Name or path of the preset that makes the views."""
    delta: float = 0.01
    p: float = 4 / 3
    q: float = 4 / 3
    n_clusters: int = 3
    """In a model of one person; see `clusters_for`."""
    temperature: float = 0.1
    target_bpcer: float | None = None
    """Share of genuine frames that the threshold may refuse; by default the threshold is a share of
    their usual score (`lmkl_core.calibration.threshold.operating_point`)."""
    theme: str = "system"
    show_regions: bool = True
    """Draw what the networks look at in the preview."""
    reopen_last: bool = True
    recover_takes: bool = True
    """Keep takes that no saved model holds on disk, for an unexpected end."""
    recent: tuple[str, ...] = ()
    """Paths of models, newest first."""
    window: str = ""
    splitter: str = ""
    """Place and sizes in Qt's own form, as hexadecimal digits."""

    @property
    def model_parameters(self) -> dict[str, Any]:
        """What `lmkl_core.LocalisedMKL` is made with, for one person."""
        names = ("delta", "p", "q", "n_clusters", "temperature", "target_bpcer")
        return {name: getattr(self, name) for name in names}

    def clusters_for(self, n_people: int) -> int:
        """Return the clusters of a model of so many people."""
        return min(self.n_clusters + CLUSTERS_A_PERSON * (n_people - 1), CLUSTERS[1])

    def with_recent(self, path: str) -> "Settings":
        """Return settings that list a model's path first, unless it cannot be stored."""
        if _converted("source", path) is None:
            return self
        others = tuple(known for known in self.recent if known != path)
        return dataclasses.replace(self, recent=(path, *others)[:MAX_RECENT])

    def without_recent(self, path: str) -> "Settings":
        """Return settings without a path whose file is gone."""
        others = tuple(known for known in self.recent if known != path)
        return dataclasses.replace(self, recent=others)

    def forgotten(self) -> "Settings":
        """Return the defaults, with nothing of the person, after everything was deleted."""
        kind = self.source.partition(":")[0]
        source = self.source if kind in (AUTO, "demo", "camera") else AUTO
        return Settings(source=source, theme=self.theme, recover_takes=self.recover_takes)

    def reset(self) -> "Settings":
        """Return the defaults, but keep recent models and the window's place."""
        return Settings(recent=self.recent, window=self.window, splitter=self.splitter)


def load() -> tuple[Settings, tuple[str, ...]]:
    """Return the stored settings, or the defaults, and a sentence for each problem; never raise."""
    try:
        values = json.loads(storage.read_text(storage.settings_file(), MAX_BYTES))
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
    given = {name: getattr(settings, name) for name in _RULES}
    return {
        name: f"It must be {_RULES[name][1]}."
        for name, value in given.items()
        if _converted(name, value) is None
    }


def _from_values(values: dict[str, Any]) -> tuple[Settings, tuple[str, ...]]:
    if values.pop("version", 1) == 1:
        # The first version's defaults and words, which were not a choice or are gone.
        former = {"target_bpcer": 0.05, "delta": AUTO, "n_clusters": AUTO}
        values = {name: value for name, value in values.items() if former.get(name) != value}
    known = {name: value for name, value in values.items() if name in _RULES}
    good = {name: _converted(name, value) for name, value in known.items()}
    problems = [
        f"The setting {name} is back at its default: it must be {_RULES[name][1]}."
        for name, value in good.items()
        if value is None
    ]
    if unknown := len(values) - len(known):
        problems.append(
            f"The file of the settings names {unknown} that this version does not know; "
            "they are left out."
        )
    usable = {name: value[0] for name, value in good.items() if value is not None}
    return Settings(**usable), tuple(problems)


def _unusable(what: str) -> str:
    return (
        f"The file of the settings {what}, so the defaults are used; saving the settings makes a "
        "new one."
    )


# ---------------------------------------------------------------- what each field takes

# Control characters and lone surrogates can be neither shown nor typed.
_Text = Annotated[
    str,
    Meta(max_length=LONGEST_TEXT, pattern=r"\A(?=.*\S)[^\x00-\x1f\x7f-\x9f\ud800-\udfff]+\Z"),
]
_State = Annotated[str, Meta(max_length=LONGEST_STATE, pattern=r"\A([0-9a-f]{2})*\Z")]
_Norm = Annotated[float, Meta(ge=LEAST_NORM, le=LARGEST_NUMBER)]

_TEXT = f"a text of 1 to {LONGEST_TEXT} characters, none of them a control character"
_NORM = f"a number from {LEAST_NORM:g} to {LARGEST_NUMBER:g}"
_SWITCH = "true or false"
_DIGITS = "hexadecimal digits"


def _between(low: int, high: int) -> str:
    return f"a whole number from {low} to {high}"


def _either(choices: tuple[str, ...]) -> str:
    return f"{', '.join(choices[:-1])} or {choices[-1]}"


_RULES: dict[str, tuple[Any, str]] = {
    "source": (_Text, _TEXT),
    "width": (Annotated[int, Meta(ge=WIDTHS[0], le=WIDTHS[1])], _between(*WIDTHS)),
    "height": (Annotated[int, Meta(ge=HEIGHTS[0], le=HEIGHTS[1])], _between(*HEIGHTS)),
    "detector": (Literal[DETECTORS], _either(DETECTORS)),
    "preset": (_Text, _TEXT),
    "delta": (
        Annotated[float, Meta(gt=0, le=LARGEST_NUMBER)],
        f"a number above 0 and up to {LARGEST_NUMBER:g}",
    ),
    "p": (_Norm, _NORM),
    "q": (_Norm, _NORM),
    "n_clusters": (Annotated[int, Meta(ge=CLUSTERS[0], le=CLUSTERS[1])], _between(*CLUSTERS)),
    "temperature": (
        Annotated[float, Meta(ge=LEAST_TEMPERATURE, le=LARGEST_NUMBER)],
        f"a number from {LEAST_TEMPERATURE:g} to {LARGEST_NUMBER:g}",
    ),
    "target_bpcer": (Annotated[float, Meta(gt=0, lt=1)] | None, "a number above 0 and below 1"),
    "theme": (Literal[THEMES], _either(THEMES)),
    "show_regions": (bool, _SWITCH),
    "reopen_last": (bool, _SWITCH),
    "recover_takes": (bool, _SWITCH),
    "recent": (
        Annotated[tuple[_Text, ...], Meta(max_length=MAX_RECENT)],
        f"a list of at most {MAX_RECENT} paths",
    ),
    "window": (_State, _DIGITS),
    "splitter": (_State, _DIGITS),
}
"""The type of each field, and how a message names it."""


def _converted(name: str, value: Any) -> tuple[Any] | None:
    """Return the value as its field takes it; None where it cannot."""
    try:
        return (msgspec.convert(value, _RULES[name][0]),)
    except (msgspec.ValidationError, OverflowError, UnicodeEncodeError):  # a lone surrogate
        return None
