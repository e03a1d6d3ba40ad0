"""Choose an engine for each graph, after a child process has exported and tried it (`probe`)."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import msgspec

from lmkl_core.errors import InvalidInputError, raise_if_cancelled
from lmkl_core.features.engines.cache import Cache, Probe
from lmkl_core.features.engines.engine import Engine, EngineError, has_torch, without_torch
from lmkl_core.features.engines.probe import LIMIT, Reply, Task, probe_key, relative_difference
from lmkl_core.system.processes import module_command, module_environment

EngineName: TypeAlias = Literal["auto", "onnxruntime", "torch"]
Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with the number of steps done, the number of steps, and the present step."""

ENGINE_NAMES: tuple[EngineName, ...] = get_args(EngineName)
PROBE = "lmkl_core.features.engines.probe"
SECONDS, TORCH_SECONDS = 180.0, 900.0
"""Time limits of a trial run: for described networks, and for those that torch exports."""

MOST_DEATHS = 2
"""Number of crashes at the first use of an engine after which it is no longer used."""

_TICK = 0.05
_ASKED_TO_END = (
    *(-getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)),
    0xC000013A,  # Ctrl-C on Windows
)
"""Exit codes of children that received Ctrl-C in the terminal or the end of the session."""


class _Unusable(Exception):
    """An engine cannot run a graph; the message gives the reason."""


@dataclass(frozen=True)
class Chooser:
    """Prepare engines for graphs; ``auto`` is onnxruntime, and torch where that fails."""

    engine: EngineName
    cache: Cache
    threads: int | None = None
    progress: Progress | None = None
    cancel: Callable[[], bool] | None = None

    def __call__(self, tasks: Sequence[Task]) -> tuple[list[Engine], tuple[str, ...]]:
        """Return an engine for every task, and the reasons why some run in torch."""
        if self.engine not in ENGINE_NAMES:
            raise InvalidInputError(
                f"There is no engine {self.engine!r}; choose one of {', '.join(ENGINE_NAMES)}."
            )
        engines: list[Engine] = []
        notes = []
        for number, task in enumerate(tasks):
            label = task.graph.label
            if self.progress is not None:
                self.progress(number, len(tasks), f"preparing {label}")
            if self.engine == "torch":
                engines.append(self._torch(task))
                continue
            try:
                engines.append(self._onnxruntime(task))
            except _Unusable as error:
                if self.engine == "onnxruntime":
                    raise EngineError(
                        f"onnxruntime cannot run {label}, because {error}; choose the engine auto "
                        "or torch."
                    ) from error
                engines.append(self._torch(task, str(error)))
                notes.append(f"{label} runs in torch, because {error}.")
        if self.progress is not None:
            self.progress(len(tasks), len(tasks), "ready")
        return engines, tuple(notes)

    def _onnxruntime(self, task: Task) -> Engine:
        """Return the engine after a first run in this process.

        A crash here loses no data, and the next start detects it (`Cache.first_use`).
        """
        entry = self.cache.load(task.key)
        self._try("onnxruntime", task, again=entry is None)
        entry = entry or self.cache.load(task.key)
        if entry is None:
            raise _Unusable(f"its graph is missing from {self.cache.folder}")
        try:
            with self.cache.first_use(probe_key("onnxruntime", task.key)) as deaths:
                if deaths >= MOST_DEATHS:
                    raise _Unusable(f"the program crashed {deaths} times at its first use")
                # Only here, because even the import can crash a process; the child survived it.
                from lmkl_core.features.engines.onnx_engine import OnnxEngine

                engine = OnnxEngine(entry.onnx)
                found = engine.run(entry.crops[:1])
            difference = relative_difference(found, [view[:1] for view in entry.views])
            if difference > LIMIT:
                raise _Unusable(f"the values of its first run are off by {difference:.1e}")
        except _Unusable as error:
            self._remember("onnxruntime", task, str(error))
            raise
        except Exception as error:  # onnxruntime's exceptions have no common base
            problem = f"its first run failed: {type(error).__name__}"
            self._remember("onnxruntime", task, problem)
            raise _Unusable(problem) from error
        return engine

    def _torch(self, task: Task, onnx_problem: str = "") -> Engine:
        """Return torch's engine."""
        label = task.graph.label
        if not has_torch():
            also = f", which onnxruntime cannot run here ({onnx_problem})," if onnx_problem else ""
            raise without_torch(f"{label}{also}")
        try:
            self._try("torch", task)
        except _Unusable as error:
            also = f" (nor can onnxruntime: {onnx_problem})" if onnx_problem else ""
            raise EngineError(
                f"torch cannot run {label} on this machine: {error}{also}; install another "
                "version of torch or onnxruntime."
            ) from error
        # Only here, because torch takes seconds to import and is optional.
        from lmkl_core.features.engines.torch_engine import TorchEngine

        return TorchEngine(task.graph, Path(task.weights), threads=self.threads)

    def _try(self, engine: str, task: Task, again: bool = False) -> None:
        """Raise `_Unusable` if an engine fails in a child process or failed recently.

        ``again`` starts a child even if an earlier one succeeded.
        """
        known = self.cache.probe(probe_key(engine, task.key))
        if known is not None and (known.problem or not again):
            problem = known.problem
        else:
            reply = run_child(module_command(PROBE), engine, task, self.cache, self.cancel)
            problem = reply.problem
            # Without a graph the export itself failed, perhaps for lack of memory. That says
            # nothing about the engine, unless the graph was made and refused.
            is_certain = not problem or not again or reply.is_mismatch
            if is_certain or self.cache.load(task.key) is not None:
                self._remember(engine, task, problem)
        if problem:
            raise _Unusable(problem)

    def _remember(self, engine: str, task: Task, problem: str) -> None:
        outcome = Probe(probe_key(engine, task.key), engine, task.graph.label, problem)
        with suppress(InvalidInputError):  # if it cannot be stored, the next start tries again
            self.cache.remember(outcome)


def run_child(
    command: Sequence[str],
    engine: str,
    task: Task,
    cache: Cache,
    cancel: Callable[[], bool] | None = None,
) -> Reply:
    """Try an engine in a child process.

    Raises `_Unusable` if the child was interrupted, which says nothing about the engine, and
    `InvalidInputError` if the weights do not fit or the cache cannot be written.
    """
    timeout = TORCH_SECONDS if task.graph.spec.needs_torch else SECONDS
    end = time.monotonic() + timeout
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=module_environment(),
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    request: bytes | None = json.dumps([engine, str(cache.folder), asdict(task)]).encode()
    with child:
        try:
            while True:
                try:
                    answer, errors = child.communicate(request, timeout=_TICK)
                    break
                except subprocess.TimeoutExpired:
                    request = None  # it is being sent
                raise_if_cancelled(
                    cancel, "Preparing the networks was cancelled; it can be repeated at any time."
                )
                if time.monotonic() > end:
                    return Reply(f"a trial run failed: no answer within {timeout:.0f} seconds")
        finally:
            child.kill()
    try:
        reply = msgspec.convert(json.loads(answer), Reply)
    except (ValueError, RecursionError):
        return Reply(f"a trial run failed: {_death(child.returncode, errors)}")
    if reply.invalid:
        raise InvalidInputError(reply.invalid)
    return reply


def _death(code: int, errors: bytes) -> str:
    """Say how a child that gave no answer ended."""
    if code in _ASKED_TO_END:
        raise _Unusable("a trial run failed: it was interrupted")
    if code < 0:
        with suppress(ValueError):
            return f"it was killed by {signal.Signals(-code).name}"
        return f"it was killed by signal {-code}"
    last = errors.decode("utf-8", errors="replace").strip().rpartition("\n")[2]
    return f"it ended with exit code {code} ({last[:200] or 'without a message'})"
