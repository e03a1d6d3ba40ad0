"""Work in a child process that may crash, hang or be stopped without harm to this one.

The child reads one job a line (JSON) from its standard input and writes one answer a line. When a
child dies, the answer to its current job says so, and the jobs after it go to a new child.
"""

import json
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import IO, Any

from lmkl_core.errors import Cancelled, InvalidInputError, asked_to_stop
from lmkl_core.system.processes import module_environment

_MARK = "@lmkl "  # libraries print to the standard output too
_TICK = 0.1
_ASKED_TO_END = (
    *(-getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)),
    0xC000013A,  # Ctrl-C on Windows
)
"""Exit codes after Ctrl-C in the terminal, or the end of a session, which reach children too."""


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Be the child: answer every job on the standard input.

    `InvalidInputError` becomes an answer ``invalid``, any other exception ``failed``.
    """
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except InvalidInputError as error:
            reply = {"invalid": str(error)}
        except Exception as error:
            reply = {"failed": f"{type(error).__name__}: {error}"}
        # A line of its own, whatever a library printed before without ending its line.
        print("\n" + _MARK + json.dumps(reply), flush=True)


def ask(
    command: Sequence[str],
    jobs: Sequence[dict[str, Any]],
    *,
    timeout: float,
    cancel: Callable[[], bool] | None = None,
) -> Iterator[dict[str, Any]]:
    """Be the parent: yield one answer a job, in order.

    Parameters
    ----------
    command : sequence of str
        Starts the child; see `module_command`.
    jobs : sequence of dict
        JSON values.
    timeout : float
        Seconds that one job may take.
    cancel : callable, optional
        Asked several times a second; True ends the child.

    Yields
    ------
    dict
        What the child answered, or ``{"failed": reason}`` if it died or took too long; with
        ``"asked": True`` where somebody asked it to end, which says nothing of its work.

    Raises
    ------
    Cancelled
        When ``cancel`` said so.
    """
    done = 0
    while done < len(jobs):
        for reply in _one_child(command, jobs[done:], timeout, cancel):
            done += 1
            yield reply


def _one_child(
    command: Sequence[str],
    jobs: Sequence[dict[str, Any]],
    timeout: float,
    cancel: Callable[[], bool] | None,
) -> Iterator[dict[str, Any]]:
    """Yield the answers of one child, the last one being of its death if it died."""
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            errors="replace",  # ours is ASCII; libraries print in whatever the system speaks
            env=module_environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert child.stdin is not None
        assert child.stdout is not None
        replies: queue.Queue[dict[str, Any] | None] = queue.Queue()
        feeder = threading.Thread(target=_feed, args=(child.stdin, jobs), daemon=True)
        reader = threading.Thread(target=_read, args=(child.stdout, replies), daemon=True)
        feeder.start()
        reader.start()
        try:
            for _ in jobs:
                reply = _next_reply(replies, timeout, cancel)
                if reply is None:
                    yield _death(child, errors)
                    return
                yield reply
        except TimeoutError:
            yield {"failed": f"it gave no answer within {timeout:.0f} seconds"}
        finally:
            child.kill()
            child.wait()
            feeder.join()
            reader.join()
            child.stdout.close()


def _next_reply(
    replies: "queue.Queue[dict[str, Any] | None]",
    timeout: float,
    cancel: Callable[[], bool] | None,
) -> dict[str, Any] | None:
    """Wait for an answer; None means that the child's output has ended."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if asked_to_stop(cancel):
            raise Cancelled("Preparing the networks was cancelled; it can be done again any time.")
        try:
            return replies.get(timeout=_TICK)
        except queue.Empty:
            continue
    raise TimeoutError


def _feed(stdin: IO[str], jobs: Sequence[dict[str, Any]]) -> None:
    try:
        with stdin:
            for job in jobs:
                stdin.write(json.dumps(job) + "\n")
    except OSError:
        pass  # the child has gone; its death is reported where its answers are read


def _read(stdout: IO[str], replies: "queue.Queue[dict[str, Any] | None]") -> None:
    for line in stdout:
        if line.startswith(_MARK):
            # It died while it spoke: its death is told instead.
            with suppress(ValueError, RecursionError):
                reply = json.loads(line[len(_MARK) :])
                if isinstance(reply, dict):
                    replies.put(reply)
    replies.put(None)


def _death(child: "subprocess.Popen[str]", errors: IO[bytes]) -> dict[str, Any]:
    """Return the answer of a child that gives none any more."""
    code = child.wait()
    if code in _ASKED_TO_END:
        return {"failed": "it was asked to end", "asked": True}
    if code < 0:
        try:
            return {"failed": f"it was ended by {signal.Signals(-code).name}"}
        except ValueError:
            return {"failed": f"it was ended by signal {-code}"}
    errors.seek(0)
    said = errors.read().decode("utf-8", errors="replace").strip()
    last = said.splitlines()[-1] if said else "it said nothing"
    return {"failed": f"it ended with exit code {code} ({last[:200]})"}
