"""A frame with all that was found out about it, and the verdict over a window of frames."""

from dataclasses import dataclass

from app.types import Familiarity, Frame, Quality, Verdict

Point = tuple[float, float]


@dataclass(frozen=True)
class Region:
    """A crop that the networks look at: its name and its corners in pixels of the frame."""

    name: str
    corners: tuple[Point, Point, Point, Point]


@dataclass(frozen=True, eq=False)
class Scored:
    """A frame with all that was found out about it.

    Attributes
    ----------
    frame : Frame
        The frame.
    verdict : Verdict
        Of this frame alone; the window's verdict is a `Decision`.
    reason : str
        One sentence.
    note : str
        What a person should know beside that, such as that other faces are in view.
    box : tuple of float or None
        x, y, width, height of the face.
    regions : tuple of Region
        What the networks looked at; empty without a usable face.
    quality : Quality or None
        The checks of the gate, where there is a face.
    score, threshold : float or None
        The score is None without a model or a usable face, the threshold without a model.
        Accepted when ``score >= threshold``.
    terms : tuple of tuple of float
        Contribution of every cluster (outer) and view (inner); they sum to the score.
    memberships : tuple of float
        How much the frame belongs to each cluster; sums to 1.
    familiarity : Familiarity or None
        How its circumstances differ from those enrolled, where it has a score.
    liveness : float or None
        Probability that the face is live, where the networks are there.
    face_changed : bool
        Whether this is another face than before.
    seconds : float
        From taking the frame to this value.
    """

    frame: Frame
    verdict: Verdict
    reason: str = ""
    note: str = ""
    box: tuple[float, float, float, float] | None = None
    regions: tuple[Region, ...] = ()
    quality: Quality | None = None
    score: float | None = None
    threshold: float | None = None
    terms: tuple[tuple[float, ...], ...] = ()
    memberships: tuple[float, ...] = ()
    familiarity: Familiarity | None = None
    liveness: float | None = None
    face_changed: bool = False
    seconds: float = 0.0

    @property
    def differences(self) -> tuple[str, ...]:
        """What lies outside the enrolled circumstances, worst first, as half sentences."""
        return () if self.familiarity is None else self.familiarity.differences


@dataclass(frozen=True)
class Decision:
    """The verdict over a short window of frames.

    Attributes
    ----------
    verdict : Verdict
        What the person is told.
    reason : str
        Why, in one sentence.
    rule : str
        How it was decided, in one sentence.
    score, threshold : float or None
        Mean score of the window and what it is held against.
    n_frames : int
        Scored frames in the window.
    differences : tuple of str
        What is unfamiliar, where the verdict is that.
    liveness : float or None
        Mean probability that the face is live, where the networks are there.
    """

    verdict: Verdict
    reason: str = ""
    rule: str = ""
    score: float | None = None
    threshold: float | None = None
    n_frames: int = 0
    differences: tuple[str, ...] = ()
    liveness: float | None = None
