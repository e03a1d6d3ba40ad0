"""Run jobs in a child process that may crash, hang or be stopped without harm to this one.

The child reads one job a line (JSON) from its standard input and writes one answer a line. If it
dies, the answer to its job says so, and the jobs after it go to a new child.
"""

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from lmkl_core.errors import Cancelled, InvalidInputError, asked_to_stop
from lmkl_core.system.processes import module_environment

_MARK = "@lmkl "  # libraries print to the standard output too
_TICK = 0.05
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
    """Be the parent: yield one answer a job, in order; raise `Cancelled` when ``cancel`` is True.

    A job whose child died or took longer than ``timeout`` seconds has the answer
    ``{"failed": reason}``, with ``"asked": True`` where the child was told to end from outside.
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
    # Files instead of pipes: neither side ever waits for the other to read.
    with tempfile.TemporaryDirectory(prefix="lmkl-", ignore_cleanup_errors=True) as folder:
        questions, answers, errors = (Path(folder, name) for name in ("jobs", "answers", "errors"))
        questions.write_text("".join(json.dumps(job) + "\n" for job in jobs), encoding="utf-8")
        with questions.open("rb") as stdin, answers.open("wb") as out, errors.open("wb") as err:
            child = subprocess.Popen(
                command,
                stdin=stdin,
                stdout=out,
                stderr=err,
                env=module_environment(),
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        try:
            done, end = 0, time.monotonic() + timeout
            while done < len(jobs):
                code = child.poll()  # first, so that the last words of a dead child are read
                for reply in _replies(answers)[done:]:
                    done, end = done + 1, time.monotonic() + timeout
                    yield reply
                if done == len(jobs):
                    return
                if code is not None:
                    yield _death(code, errors)
                    return
                if time.monotonic() > end:
                    yield {"failed": f"it gave no answer within {timeout:.0f} seconds"}
                    return
                if asked_to_stop(cancel):
                    raise Cancelled(
                        "Preparing the networks was cancelled; it can be done again any time."
                    )
                time.sleep(_TICK)
        finally:
            child.kill()
            child.wait()


def _replies(path: Path) -> list[dict[str, Any]]:
    """Return the answers that are complete; a child can die in the middle of one."""
    replies = []
    # Ours is ASCII; libraries print in whatever the system speaks.
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]:
        if line.startswith(_MARK):
            with suppress(ValueError, RecursionError):
                reply = json.loads(line[len(_MARK) :])
                if isinstance(reply, dict):
                    replies.append(reply)
    return replies


def _death(code: int, errors: Path) -> dict[str, Any]:
    """Return the answer of a child that gives none any more."""
    if code in _ASKED_TO_END:
        return {"failed": "it was asked to end", "asked": True}
    if code < 0:
        with suppress(ValueError):
            return {"failed": f"it was ended by {signal.Signals(-code).name}"}
        return {"failed": f"it was ended by signal {-code}"}
    said = errors.read_text(encoding="utf-8", errors="replace").strip()
    last = said.splitlines()[-1] if said else "it said nothing"
    return {"failed": f"it ended with exit code {code} ({last[:200]})"}
