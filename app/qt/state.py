"""Values that the window shows besides those of the session: source, progress, notices."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Choice:
    """Something to choose: its key and the text that is shown."""

    key: str
    text: str


@dataclass(frozen=True)
class Notice:
    """One sentence for the person: the problem and the way out."""

    text: str
    level: str = "info"
    """Or "warning" or "error"."""
    topic: str = ""
    """A later notice of the same topic takes its place; an empty text takes it away."""
    actions: tuple[Choice, ...] = ()
    """What the person can do, each a button; such a notice stays until it is answered."""


@dataclass(frozen=True)
class Working:
    """Progress of a long piece of work."""

    text: str = ""
    """Empty: nothing is being done."""
    done: int = 0
    total: int = 0
    """0: not known."""
    can_cancel: bool = True


@dataclass(frozen=True)
class SourceState:
    """The open source."""

    text: str = ""
    """As a person would type it: "demo", "camera:NAME", a path, an address without credentials."""
    name: str = ""
    """Fit to be shown."""
    is_demo: bool = False
    presentations: tuple[Choice, ...] = ()
    """What the demo can present; empty for other sources."""
    presenting: str = ""
    """Key of what the demo was asked to present; empty is everything in turn."""
    species: tuple[str, ...] = ()
    """Attack species that the demo can present."""


@dataclass(frozen=True)
class NetworksState:
    """Which files of the networks are missing, and how getting them goes."""

    missing: tuple[Any, ...] = ()
    """Entries of the catalogue of weights."""
    folder: str = ""
    """Where files of weights lie."""
    problem: str = ""
    """Why the last attempt to get them failed, in one sentence."""
    is_by_hand: bool = False
    """Whether that was a download, so that bringing the files by hand is the way out."""
    working: Working = field(default_factory=Working)

    @property
    def size(self) -> int:
        return sum(one.size or 0 for one in self.missing)

    @property
    def licence(self) -> str:
        return ", ".join(dict.fromkeys(one.licence for one in self.missing))


@dataclass(frozen=True)
class PassphraseAsked:
    """A protected model that needs its passphrase."""

    path: str
    name: str
    was_wrong: bool = False
    """Whether a passphrase was given that did not open it."""
