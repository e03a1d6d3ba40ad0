"""What a capture tells of itself."""

from dataclasses import dataclass
from enum import StrEnum

from app.capture.source import Cause, SourceInfo
from app.capture.watchdog import Health


class Phase(StrEnum):
    """What the capture thread is doing."""

    IDLE = "idle"
    OPENING = "opening"
    RUNNING = "running"
    PAUSED = "waiting to open again"
    ENDED = "ended"
    FAILED = "failed"
    STOPPED = "stopped"
    ABANDONED = "abandoned"

    @property
    def is_final(self) -> bool:
        """Whether no frame will come any more."""
        return self in (Phase.ENDED, Phase.FAILED, Phase.STOPPED, Phase.ABANDONED)


@dataclass(frozen=True)
class CaptureState:
    """A moment of a capture.

    Attributes
    ----------
    phase : Phase
        What the thread is doing.
    health : Health
        Whether the frames are worth looking at.
    message : str
        One sentence of advice; empty when all is well.
    cause : Cause or None
        What the message is about.
    info : SourceInfo or None
        The source as it was last opened.
    n_frames : int
        Frames read so far.
    n_openings : int
        How often the source has been opened with success.
    rate : float
        Frames a second over the last ones; 0 before there are any.
    """

    phase: Phase = Phase.IDLE
    health: Health = Health.STARTING
    message: str = ""
    cause: Cause | None = None
    info: SourceInfo | None = None
    n_frames: int = 0
    n_openings: int = 0
    rate: float = 0.0
