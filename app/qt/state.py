"""Values shown by the window that are not part of the session: source, progress, notices."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Choice:
    """An option: its key and the text shown."""

    key: str
    text: str


@dataclass(frozen=True)
class Notice:
    """One sentence for the user: the problem and what to do about it."""

    text: str
    level: str = "info"
    """One of "info", "warning" or "error"."""
    topic: str = ""
    """A later notice on the same topic replaces this one; one with an empty text removes it."""
    actions: tuple[Choice, ...] = ()
    """Shown as buttons; a notice with actions stays until one is chosen."""


@dataclass(frozen=True)
class Working:
    """Progress of a task."""

    text: str = ""
    """Empty while nothing is running."""
    done: int = 0
    total: int = 0
    """0 if unknown."""
    can_cancel: bool = True


@dataclass(frozen=True)
class SourceState:
    """The open source."""

    text: str = ""
    """As typed by the user: "demo", "camera:NAME", a path, an address without credentials."""
    name: str = ""
    """For display."""
    is_demo: bool = False
    presentations: tuple[Choice, ...] = ()
    """What the demo can present; empty for other sources."""
    presenting: str = ""
    """Key of what the demo was asked to present; empty for everything in turn."""
    species: tuple[str, ...] = ()
    """Attack species that the demo can present."""


@dataclass(frozen=True)
class NetworksState:
    """Which liveness networks are missing, and the progress of their download."""

    missing: tuple[Any, ...] = ()
    """Entries of the weights catalogue."""
    folder: str = ""
    """The folder of the weights."""
    problem: str = ""
    """Why the last attempt to fetch or import them failed, in one sentence."""
    is_by_hand: bool = False
    """Whether a download failed, so that the files have to be copied by hand."""
    working: Working = field(default_factory=Working)

    @property
    def size(self) -> int:
        return sum(entry.size or 0 for entry in self.missing)

    @property
    def licence(self) -> str:
        return ", ".join(dict.fromkeys(entry.licence for entry in self.missing))


@dataclass(frozen=True)
class PassphraseRequest:
    """A protected model that needs its passphrase."""

    path: str
    name: str
    was_wrong: bool = False
    """Whether the last passphrase failed to open it."""
