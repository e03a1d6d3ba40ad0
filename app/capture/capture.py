"""A thread that opens, reads, watches and reopens a source, and mailboxes for its frames.

    with Capture(Webcam(), on_frame=show, on_state=report) as capture:
        ...

Nothing here waits for a source: a second thread reports a read that never returns as stalled, and
`Capture.stop` abandons it.
"""

import atexit
import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

from app.capture.source import Cause, Clock, FrameSource, SourceError, advice
from app.capture.watchdog import Limits, Watchdog
from app.logs import kind_of, trace_of
from app.types import Frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

RATE_AGE = 2.0  # seconds after the last frame at which the rate drops to 0

PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds between attempts to open a live source again; the last one repeats."""


class Phase(StrEnum):
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
        return self in (Phase.ENDED, Phase.FAILED, Phase.STOPPED, Phase.ABANDONED)


_SLOW = {Phase.OPENING: Cause.SLOW_TO_OPEN, Phase.RUNNING: Cause.STALLED}


@dataclass(frozen=True)
class CaptureState:
    phase: Phase = Phase.IDLE
    cause: Cause | None = None  # None when all is well
    message: str = ""  # one sentence of advice on the cause
    n_frames: int = 0
    n_openings: int = 0
    rate: float = 0.0  # recent frames per second; 0 before the first


def rate_of(arrivals: Sequence[float], now: float) -> float:
    """Return arrivals per second; 0 before the second one and `RATE_AGE` after the last."""
    span = arrivals[-1] - arrivals[0] if len(arrivals) > 1 else 0.0
    return (len(arrivals) - 1) / span if span > 0 and now - arrivals[-1] <= RATE_AGE else 0.0


_started: "weakref.WeakSet[Capture]" = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """Stop running captures at exit: a thread cut off inside OpenCV aborts the process."""
    for capture in list(_started):
        if not capture.state.phase.is_final:
            capture.stop(timeout=1.0)


class Capture:
    """Read a source, which the capture then owns, on a thread of its own.

    Callbacks run on the capture's threads and should return quickly (emit a signal, fill a
    mailbox); their exceptions are logged. ``on_frame`` gets every frame, ``on_usable`` those to
    score (new and complete pictures from a source without a fault), ``on_state`` every change of
    phase, cause or message, one at a time. By default, ``limits`` are chosen to suit the source.
    """

    def __init__(
        self,
        source: FrameSource,
        on_frame: Callable[[Frame], object] | None = None,
        on_state: Callable[[CaptureState], object] | None = None,
        *,
        on_usable: Callable[[Frame], object] | None = None,
        pauses: Sequence[float] = PAUSES,
        limits: Limits | None = None,
        check_every: float = 0.25,
        clock: Clock | None = None,
    ) -> None:
        self.source = source
        self._on_frame, self._on_state, self._on_usable = on_frame, on_state, on_usable
        self._pauses = tuple(pauses)
        self._limits = limits
        self._check_every = check_every
        self._clock = clock or Clock()
        self._stop = threading.Event()
        self._over = threading.Event()
        self._lock = threading.Lock()  # of the fields below
        self._reporting = threading.RLock()  # held during callbacks, so that states come in order
        self._reader = threading.Thread(target=self._run, name="capture", daemon=True)
        self._monitor = threading.Thread(
            target=self._check_for_stalls, name="capture monitor", daemon=True
        )
        self._watchdog = Watchdog(self._clock.now())
        self._state = CaptureState()
        self._arrivals: deque[float] = deque(maxlen=30)
        self._still: NDArray[Any] | None = None
        self._callback_has_failed = False

    @property
    def state(self) -> CaptureState:
        with self._lock:
            return replace(self._state, rate=rate_of(self._arrivals, self._clock.now()))

    def start(self) -> None:
        _started.add(self)
        self._reader.start()
        self._monitor.start()

    def stop(self, timeout: float = 3.0) -> bool:
        """Stop reading and return whether the thread has ended.

        A read that does not return in time is abandoned on its daemon thread: its frames are not
        delivered, and the phase is ``ABANDONED``.
        """
        self._stop.set()
        if self._reader.ident is None:
            self._finish(Phase.STOPPED)
            return True
        deadline = time.monotonic() + timeout
        # Closing may block too, so it has a thread of its own.
        closer = threading.Thread(target=self._close, name="capture closer", daemon=True)
        closer.start()
        if threading.current_thread() in (self._reader, self._monitor):
            return True
        for thread in (self._reader, self._monitor, closer):
            thread.join(max(0.0, deadline - time.monotonic()))
        if self._reader.is_alive():
            kind = kind_of(self.source)
            log.warning("%s did not stop in %.1f s and was abandoned", kind, timeout)
            self._abandon()
            return False
        return True

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until there are no more frames; return False on timeout."""
        return self._over.wait(timeout)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self) -> None:
        n_failed = 0
        while not self._stop.is_set():
            n_before = self._state.n_frames
            try:
                error = self._read_to_end()
            except SourceError as raised:
                error = raised
            except Exception as raised:
                log.error("%s failed: %s", kind_of(self.source), trace_of(raised))
                error = SourceError(
                    Cause.UNREADABLE,
                    message=f"{self.source.subject} failed ({type(raised).__name__}): "
                    "start it again or choose another source.",
                )
            self._close()
            if self._stop.is_set():
                break
            if error is None:
                return self._finish(Phase.ENDED)
            log.info("%s failed: %s", kind_of(self.source), error.cause)
            if not self.source.is_live:
                return self._finish(Phase.FAILED, cause=error.cause, message=str(error))
            if self._state.n_frames > n_before:
                n_failed = 0
            self._report(phase=Phase.PAUSED, cause=error.cause, message=str(error))
            self._clock.wait(self._stop, self._pauses[min(n_failed, len(self._pauses) - 1)])
            n_failed += 1
        self._finish(Phase.STOPPED)

    def _read_to_end(self) -> SourceError | None:
        """Open and read; return why the source failed, or None if it ended or was stopped."""
        self._new_watchdog(self._limits or Limits())
        # The reason for the last failure stays until the source works.
        self._report(phase=Phase.OPENING)
        info = self.source.open()
        with self._lock:
            self._state = replace(self._state, n_openings=self._state.n_openings + 1)
            self._arrivals.clear()
        self._new_watchdog(self._limits or Limits.of(info, self.source.is_live))
        self._report(phase=Phase.RUNNING, cause=None, message="")
        while not self._stop.is_set():
            frame = self.source.read()
            if self._stop.is_set():
                return None
            if frame is None:
                is_over = not self.source.is_live
                return None if is_over else SourceError(Cause.STALLED, self.source.subject)
            if self._receive(frame) is Cause.FROZEN:
                # A frozen camera is reopened only once until its picture changes.
                is_first_time = self.source.is_live and self._still is None
                self._still = frame.image
                if is_first_time:
                    return SourceError(Cause.FROZEN, self.source.subject)
        return None

    def _new_watchdog(self, limits: Limits) -> None:
        with self._lock:
            self._watchdog = Watchdog(self._clock.now(), limits, self._still)

    def _receive(self, frame: Frame) -> Cause | None:
        now = self._clock.now()
        with self._lock:
            cause = self._watchdog.feed(frame.image, now)
            is_usable = self._watchdog.is_usable(now)
            if self._watchdog.is_changing:
                self._still = None
            self._state = replace(self._state, n_frames=self._state.n_frames + 1)
            self._arrivals.append(now)
        self._report(**self._advice(cause))
        self._call(self._on_frame, frame)
        if is_usable:
            self._call(self._on_usable, frame)
        return cause

    def _check_for_stalls(self) -> None:
        """Report stalls from the monitor's thread: the reader has no frame to report them with."""
        while not self._over.wait(self._check_every):
            with self._reporting:
                with self._lock:
                    is_silent = self._watchdog.fault(self._clock.now()) is Cause.STALLED
                    cause = _SLOW.get(self._state.phase) if is_silent else None
                if cause is not None:
                    self._report(**self._advice(cause))

    def _advice(self, cause: Cause | None) -> dict[str, Any]:
        return {"cause": cause, "message": advice(cause, self.source.subject) if cause else ""}

    def _report(self, **changes: Any) -> None:
        """Change fields of the state, and report it if a value is new."""
        with self._reporting:
            with self._lock:
                before = self._state
                if before.phase.is_final:
                    return
                self._state = replace(before, **changes)
            if any(getattr(before, name) != value for name, value in changes.items()):
                self._call(self._on_state, self.state)

    def _finish(self, phase: Phase, **changes: Any) -> None:
        self._report(phase=phase, **changes)
        self._over.set()

    def _abandon(self) -> None:
        """Finish without the reading thread, which may be stuck in one of the callbacks."""
        if self._reporting.acquire(blocking=False):
            self._report(phase=Phase.ABANDONED)
            self._reporting.release()
        with self._lock:
            self._state = replace(self._state, phase=Phase.ABANDONED)
        self._over.set()

    def _close(self) -> None:
        try:
            self.source.close()
        except Exception as error:
            log.error("%s did not close: %s", kind_of(self.source), trace_of(error))

    def _call(self, callback: Callable[..., object] | None, *values: object) -> None:
        if callback is None:
            return
        try:
            callback(*values)
        except Exception as error:
            # Log it once, not with every frame.
            level = logging.DEBUG if self._callback_has_failed else logging.ERROR
            log.log(level, "A callback of the capture failed: %s", trace_of(error))
            self._callback_has_failed = True


class LatestFrame:
    """A mailbox between two threads: a slow reader gets the newest frame, never a queue."""

    def __init__(self) -> None:
        self._filled = threading.Condition()
        self._frame: Frame | None = None
        self.n_dropped = 0

    def put(self, frame: Frame) -> bool:
        """Leave a frame; return whether the mailbox was empty and the reader needs a signal."""
        with self._filled:
            was_empty = self._frame is None
            self.n_dropped += not was_empty
            self._frame = frame
            self._filled.notify_all()
            return was_empty

    def take(self) -> Frame | None:
        return self.wait(0.0)

    def wait(self, timeout: float) -> Frame | None:
        """Wait for a frame and take it; None after the timeout in seconds."""
        with self._filled:
            self._filled.wait_for(lambda: self._frame is not None, timeout)
            frame, self._frame = self._frame, None
            return frame
