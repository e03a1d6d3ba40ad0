"""The user's settings, stored between runs in one JSON file; quick to import, as start-up needs it.

The file may be damaged or hostile: an invalid value is replaced by its default and reported.
"""

import dataclasses
import json
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_type_hints

import msgspec
from msgspec import Meta

from app import storage
from app.names import counted

AUTO: Final = "auto"
DETECTORS = (AUTO, "mtcnn", "yunet")

CLUSTERS = (1, 12)
CLUSTERS_A_PERSON = 2
"""Clusters added for each further person; measured on real people (``benchmarks real``)."""
LEAST_NORM = 1.0
LARGEST_NUMBER = 1e12
"""These limits are no wider than those of `lmkl_core.LocalisedMKL`; a test compares them."""

MAX_RECENT = 8
LONGEST_TEXT = 4096
MAX_BYTES = 256 * 1024

VERSION = 2
"""Version of the stored file's format; the first had no number."""


def _whole(low: int, high: int) -> Meta:
    return Meta(ge=low, le=high, description=f"a whole number from {low} to {high}")


def _real(low: float) -> Meta:
    text = f"a number from {low:g} to {LARGEST_NUMBER:g}"
    return Meta(ge=low, le=LARGEST_NUMBER, description=text)


def _either(*choices: str) -> Meta:
    text = f"{', '.join(choices[:-1])} or {choices[-1]}"
    return Meta(pattern=rf"\A({'|'.join(choices)})\Z", description=text)


# The values that each field accepts, and how messages describe them. Control characters and lone
# surrogates can be neither shown nor typed.
_TEXT = Meta(
    max_length=LONGEST_TEXT,
    pattern=r"\A(?=.*\S)[^\x00-\x1f\x7f-\x9f\ud800-\udfff]+\Z",
    description=f"text of 1 to {LONGEST_TEXT} characters without control characters",
)
_STATE = Meta(max_length=16384, pattern=r"\A([0-9a-f]{2})*\Z", description="hexadecimal digits")
_POSITIVE = Meta(
    gt=0, le=LARGEST_NUMBER, description=f"a number above 0 and up to {LARGEST_NUMBER:g}"
)
_PATHS = Meta(max_length=MAX_RECENT, description=f"a list of at most {MAX_RECENT} paths")
_Switch = Annotated[bool, Meta(description="true or false")]
_Share = Annotated[
    Annotated[float, Meta(gt=0, lt=1)] | None, Meta(description="a number above 0 and below 1")
]


@dataclass(frozen=True)
class Settings:
    source: Annotated[str, _TEXT] = AUTO
    """Text for `app.capture.opening.source_from`; "auto" is the first camera, else the demo."""
    width: Annotated[int, _whole(160, 7680)] = 640
    height: Annotated[int, _whole(120, 4320)] = 480
    detector: Annotated[str, _either(*DETECTORS)] = AUTO
    preset: Annotated[str, _TEXT] = "texture"
    """Name or path of the preset that defines the views."""
    delta: Annotated[float, _POSITIVE] = 0.01
    p: Annotated[float, _real(LEAST_NORM)] = 4 / 3
    q: Annotated[float, _real(LEAST_NORM)] = 4 / 3
    n_clusters: Annotated[int, _whole(*CLUSTERS)] = 3
    """Clusters in a model of one person; see `clusters_for`."""
    temperature: Annotated[float, _real(1e-6)] = 0.1
    target_bpcer: _Share = None
    """Share of genuine frames that the threshold may refuse; by default the threshold is a share of
    their usual score (`lmkl_core.calibration.threshold.operating_point`)."""
    theme: Annotated[str, _either("system", "light", "dark")] = "system"
    show_regions: _Switch = True
    """Whether to draw the networks' regions in the preview."""
    reopen_last: _Switch = True
    recover_takes: _Switch = True
    """Whether to keep unsaved takes on disk, in case the program is killed."""
    recent: Annotated[tuple[Annotated[str, _TEXT], ...], _PATHS] = ()
    """Paths of models, newest first."""
    window: Annotated[str, _STATE] = ""
    splitter: Annotated[str, _STATE] = ""
    """Geometry and sizes in Qt's own format, in hexadecimal."""

    @property
    def model_parameters(self) -> dict[str, Any]:
        """Parameters of `lmkl_core.LocalisedMKL` for one person."""
        names = ("delta", "p", "q", "n_clusters", "temperature", "target_bpcer")
        return {name: getattr(self, name) for name in names}

    def clusters_for(self, n_people: int) -> int:
        """Return the number of clusters for a model of this many people."""
        return min(self.n_clusters + CLUSTERS_A_PERSON * (n_people - 1), CLUSTERS[1])

    def with_recent(self, path: str) -> "Settings":
        """Return settings that list a model's path first, unless it cannot be stored."""
        if _converted("source", path) is None:
            return self
        others = self.without_recent(path).recent
        return dataclasses.replace(self, recent=(path, *others)[:MAX_RECENT])

    def without_recent(self, path: str) -> "Settings":
        """Return settings that no longer list a path."""
        others = tuple(listed for listed in self.recent if listed != path)
        return dataclasses.replace(self, recent=others)

    def forgotten(self) -> "Settings":
        """Return the defaults without personal data, for use after deleting everything."""
        kind = self.source.partition(":")[0]
        source = self.source if kind in (AUTO, "demo", "camera") else AUTO
        return Settings(source=source, theme=self.theme, recover_takes=self.recover_takes)

    def reset(self) -> "Settings":
        """Return the defaults, keeping the recent models and the window's geometry."""
        return Settings(recent=self.recent, window=self.window, splitter=self.splitter)


def load() -> tuple[Settings, tuple[str, ...]]:
    """Return the stored settings, or defaults, and a message for each problem; never raise."""
    try:
        values = json.loads(storage.read_text(storage.settings_file(), MAX_BYTES))
    except FileNotFoundError:
        return Settings(), ()
    except OSError as error:
        return Settings(), (_unusable(f"cannot be read ({error.strerror or error})"),)
    except (json.JSONDecodeError, RecursionError):
        return Settings(), (_unusable("is damaged"),)
    except ValueError as error:
        # Includes integers with thousands of digits, which Python refuses to parse.
        return Settings(), (_unusable(str(error)[:80]),)
    if not isinstance(values, dict):
        return Settings(), (_unusable("does not hold settings"),)
    return _from_values(values)


def save(settings: Settings) -> None:
    """Store the settings; raise `ValueError` if one is invalid, `StorageError` if writing fails."""
    if problems := check(settings):
        name, sentence = next(iter(problems.items()))
        raise ValueError(f"The setting {name} cannot be stored: {sentence}")
    values = {"version": VERSION, **dataclasses.asdict(settings)}
    text = json.dumps(values, indent=2, allow_nan=False)
    storage.write_text(storage.settings_file(), text + "\n")


def check(settings: Settings) -> dict[str, str]:
    """Return a message for each invalid field, by the field's name."""
    return {
        name: f"It must be {_described(name)}."
        for name in _FIELDS
        if _converted(name, getattr(settings, name)) is None
    }


def _from_values(values: dict[str, Any]) -> tuple[Settings, tuple[str, ...]]:
    if values.pop("version", 1) == 1:
        # Drop defaults of the first version: the user did not choose them, or they no longer exist.
        former = {"target_bpcer": 0.05, "delta": AUTO, "n_clusters": AUTO}
        values = {name: value for name, value in values.items() if former.get(name) != value}
    known = {name: value for name, value in values.items() if name in _FIELDS}
    good = {name: _converted(name, value) for name, value in known.items()}
    problems = [
        f"The setting {name} was reset to its default: it must be {_described(name)}."
        for name, value in good.items()
        if value is None
    ]
    if unknown := len(values) - len(known):
        entries = counted(unknown, "unknown entry", "unknown entries")
        problems.append(f"The settings file has {entries}, ignored by this version.")
    usable = {name: value[0] for name, value in good.items() if value is not None}
    return Settings(**usable), tuple(problems)


def _unusable(what: str) -> str:
    return f"The settings file {what}, so the defaults are used; saving the settings replaces it."


_FIELDS = get_type_hints(Settings, include_extras=True)


def _described(name: str) -> str:
    return str(_FIELDS[name].__metadata__[-1].description)


def _converted(name: str, value: Any) -> tuple[Any] | None:
    """Return the value in its field's type; None if it is invalid."""
    try:
        return (msgspec.convert(value, _FIELDS[name]),)
    except (msgspec.ValidationError, OverflowError, UnicodeEncodeError):  # a lone surrogate
        return None
