"""A thread that owns a source: opens it, reads it, watches it, opens it again.

    with Capture(Webcam(), on_frame=show, on_health=tell) as capture:
        ...

Nothing here waits for a source: a read that never returns is reported as stalled by a second
thread, and `Capture.stop` leaves it behind.
"""

import atexit
import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from app.capture.capture_state import CaptureState, Phase
from app.capture.causes import advice
from app.capture.mailbox import LatestFrame
from app.capture.pacing import Clock, SystemClock
from app.capture.source import Cause, FrameSource, SourceError, SourceInfo
from app.capture.watchdog import Health, Limits, Watchdog
from app.logs import kind_of, way_of
from app.types import Frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

RATE_AGE = 2.0
"""Seconds after the last frame from which on no rate is told any more."""

PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds between attempts to open a live source again; the last one repeats."""


_started: "weakref.WeakSet[Capture]" = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """Stop what still runs when the program ends: a thread cut off within OpenCV aborts it."""
    for capture in list(_started):
        if not capture.state.phase.is_final:
            capture.stop(timeout=1.0)


class Capture:
    """Read a source on a thread of its own.

    Callbacks come from the capture's threads, one at a time for changes of state; they should
    return soon (emit a signal, fill a mailbox). What they raise is logged and goes no further.

    Parameters
    ----------
    source : FrameSource
        Belongs to the capture from now on.
    on_frame : callable, optional
        Called with every frame. ``latest`` holds the newest for those who come at their own pace.
    on_sight : callable, optional
        Called with those frames alone that may be judged: new and whole pictures of a source that
        is well. Called after ``on_frame``.
    on_health : callable, optional
        Called with a `Health` and a sentence of advice whenever one of them changes.
    on_state : callable, optional
        Called with a `CaptureState` whenever phase, health or advice change.
    pauses : sequence of float
        Seconds between attempts to open a live source again.
    limits : Limits, optional
        For the watchdog; chosen to suit the source by default.
    look_every : float
        Seconds between looks at a source that gives no frames.
    clock : Clock, optional
        Where the time comes from.
    """

    def __init__(
        self,
        source: FrameSource,
        on_frame: Callable[[Frame], None] | None = None,
        on_health: Callable[[Health, str], None] | None = None,
        on_state: Callable[[CaptureState], None] | None = None,
        *,
        on_sight: Callable[[Frame], None] | None = None,
        pauses: Sequence[float] = PAUSES,
        limits: Limits | None = None,
        look_every: float = 0.25,
        clock: Clock | None = None,
    ) -> None:
        self.source = source
        self.latest = LatestFrame()
        self._on_frame, self._on_health, self._on_state = on_frame, on_health, on_state
        self._on_sight = on_sight
        self._pauses = tuple(pauses)
        self._limits = limits
        self._look_every = look_every
        self._clock: Clock = clock or SystemClock()
        self._stop = threading.Event()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._telling = threading.RLock()
        self._reader = threading.Thread(target=self._run, name="capture", daemon=True)
        self._monitor = threading.Thread(target=self._look, name="capture monitor", daemon=True)
        self._watchdog: Watchdog | None = None
        self._phase, self._health = Phase.IDLE, Health.STARTING
        self._message = ""
        self._cause: Cause | None = None
        self._info: SourceInfo | None = None
        self._n_frames = self._n_openings = 0
        self._arrivals: deque[float] = deque(maxlen=30)
        self._still: NDArray[Any] | None = None
        self._complained_of_callback = False

    # ------------------------------------------------------------- from any thread

    @property
    def state(self) -> CaptureState:
        """The present moment; the health is judged now, not when the last frame came."""
        with self._lock:
            state = self._snapshot()
            health = self._health_now()
        if health is not Health.STALLED:
            return state
        cause = self._cause_of(health, state.phase)
        return replace(state, health=health, cause=cause, message=self._advice(cause))

    def start(self) -> None:
        """Start reading; once in a capture's life."""
        _started.add(self)
        self._reader.start()
        self._monitor.start()

    def stop(self, timeout: float = 3.0) -> bool:
        """End the reading and return whether the thread has ended.

        A read that does not return in time is left behind on its daemon thread: none of its
        frames is delivered any more, and the phase is ``ABANDONED``.
        """
        self._stop.set()
        if self._reader.ident is None:
            self._finish(Phase.STOPPED)
            return True
        deadline = time.monotonic() + timeout
        # Closing may block as well, so it happens on the side.
        closer = threading.Thread(target=self._close, name="capture closer", daemon=True)
        closer.start()
        if threading.current_thread() in (self._reader, self._monitor):
            return True
        for thread in (self._reader, self._monitor, closer):
            thread.join(max(0.0, deadline - time.monotonic()))
        if self._reader.is_alive():
            kind = kind_of(self.source)
            log.warning("%s did not stop in %.1f s and was left behind", kind, timeout)
            self._abandon()
            return False
        return True

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until no frame will come any more; return whether that is so."""
        return self._over.wait(timeout)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    # ------------------------------------------------------------- the reading thread

    def _run(self) -> None:
        n_failed = 0
        while not self._stop.is_set():
            n_before = self._n_frames
            try:
                error = self._read_to_the_end()
            except SourceError as raised:
                error = raised
            except Exception as raised:
                log.error("%s broke down: %s", kind_of(self.source), way_of(raised))
                error = SourceError(
                    Cause.UNREADABLE,
                    message=f"{self.source.subject} broke down ({type(raised).__name__}): "
                    "start it again or choose another source.",
                )
            self._close()
            if self._stop.is_set():
                break
            if error is None:
                return self._finish(Phase.ENDED)
            log.info("%s failed: %s", kind_of(self.source), error.cause)
            if not self.source.is_live:
                return self._finish(Phase.FAILED, error)
            if self._n_frames > n_before:
                n_failed = 0
            self._tell(Phase.PAUSED, Health.UNAVAILABLE, error)
            pause = self._pauses[min(n_failed, len(self._pauses) - 1)]
            self._clock.wait(self._stop, pause)
            n_failed += 1
        self._finish(Phase.STOPPED)

    def _read_to_the_end(self) -> SourceError | None:
        """Open and read; None where a finite source ended or a stop was asked for."""
        self._watch(self._limits or Limits())
        # Why it failed the last time stays the best advice until it works.
        self._tell(Phase.OPENING)
        info = self.source.open()
        with self._lock:
            self._info = info
            self._n_openings += 1
            self._arrivals.clear()
        self._watch(self._limits or Limits.of(info, self.source.is_live))
        self._tell(Phase.RUNNING, Health.STARTING)
        while not self._stop.is_set():
            frame = self.source.read()
            if self._stop.is_set():
                return None
            if frame is None:
                is_over = not self.source.is_live
                return None if is_over else SourceError(Cause.STALLED, self.source.subject)
            health = self._receive(frame)
            if health is Health.FROZEN and self._should_open_for_frozen(frame):
                return SourceError(Cause.FROZEN, self.source.subject)
        return None

    def _receive(self, frame: Frame) -> Health:
        now = self._clock.now()
        with self._lock:
            assert self._watchdog is not None
            health = self._watchdog.feed(frame.image, now)
            may_judge = self._watchdog.may_judge(now)
            if self._watchdog.is_changing:
                self._still = None
            self._n_frames += 1
            self._arrivals.append(now)
        self._tell(health=health)
        self.latest.put(frame)
        self._call(self._on_frame, frame)
        if may_judge:
            self._call(self._on_sight, frame)
        return health

    def _should_open_for_frozen(self, frame: Frame) -> bool:
        """Whether opening again may wake a frozen camera: once, until its picture moves."""
        is_first_time = self.source.is_live and self._still is None
        self._still = frame.image
        return is_first_time

    # ------------------------------------------------------------- the monitor's thread

    def _look(self) -> None:
        while not self._over.wait(self._look_every):
            self._judge()

    def _judge(self) -> None:
        """Report what only shows while no frame comes."""
        with self._telling:
            with self._lock:
                health = self._health_now()
            if health is Health.STALLED:
                self._tell(health=health)

    # ------------------------------------------------------------- shared

    def _watch(self, limits: Limits) -> None:
        with self._lock:
            self._watchdog = Watchdog(self._clock.now(), limits, self._still)

    def _health_now(self) -> Health:
        """Judge a source that should be giving frames; the caller holds the lock."""
        if self._watchdog is None or self._phase not in (Phase.OPENING, Phase.RUNNING):
            return self._health
        return self._watchdog.health(self._clock.now())

    def _snapshot(self) -> CaptureState:
        """Return the state as last told; the caller holds the lock."""
        span = self._arrivals[-1] - self._arrivals[0] if len(self._arrivals) > 1 else 0.0
        if self._arrivals and self._clock.now() - self._arrivals[-1] > RATE_AGE:
            span = 0.0
        return CaptureState(
            phase=self._phase,
            health=self._health,
            message=self._message,
            cause=self._cause,
            info=self._info,
            n_frames=self._n_frames,
            n_openings=self._n_openings,
            rate=(len(self._arrivals) - 1) / span if span > 0 else 0.0,
        )

    def _finish(self, phase: Phase, error: SourceError | None = None) -> None:
        self._tell(phase, Health.UNAVAILABLE if error else None, error)
        self._over.set()

    def _abandon(self) -> None:
        """Finish without the reading thread, which may be stuck in one of the callbacks."""
        if self._telling.acquire(blocking=False):
            try:
                self._tell(Phase.ABANDONED)
            finally:
                self._telling.release()
        else:
            with self._lock:
                self._phase = Phase.ABANDONED
        self._over.set()

    def _tell(
        self,
        phase: Phase | None = None,
        health: Health | None = None,
        error: SourceError | None = None,
    ) -> None:
        """Take over what changed and call back if anything did."""
        with self._telling:
            with self._lock:
                if self._phase.is_final:
                    return
                before = (self._phase, self._health, self._message)
                self._phase = phase or self._phase
                if health is not None:
                    self._health = health
                    self._cause = error.cause if error else self._cause_of(health, self._phase)
                    self._message = str(error) if error else self._advice(self._cause)
                after = (self._phase, self._health, self._message)
                state = self._snapshot()
            if after == before:
                return
            if after[1:] != before[1:]:
                self._call(self._on_health, state.health, state.message)
            self._call(self._on_state, state)

    @staticmethod
    def _cause_of(health: Health, phase: Phase) -> Cause | None:
        """Return what goes with a health; what has not begun cannot have stopped."""
        is_slow = health is Health.STALLED and phase is Phase.OPENING
        return Cause.SLOW_TO_OPEN if is_slow else health.cause

    def _advice(self, cause: Cause | None) -> str:
        return advice(cause, self.source.subject) if cause else ""

    def _close(self) -> None:
        try:
            self.source.close()
        except Exception as error:
            log.error("%s did not close: %s", kind_of(self.source), way_of(error))

    def _call(self, callback: Callable[..., None] | None, *values: object) -> None:
        if callback is None:
            return
        try:
            callback(*values)
        except Exception as error:
            # Once is enough: the same mistake would come with every frame.
            level = logging.DEBUG if self._complained_of_callback else logging.ERROR
            log.log(level, "A callback of the capture failed: %s", way_of(error))
            self._complained_of_callback = True
