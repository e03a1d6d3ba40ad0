"""Choose the engine of each graph, once it was exported, compared and tried in a child."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import time
from typing import Any, Literal, TypeAlias, get_args

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.engines.cache import Cache, Entry, Probe
from lmkl_core.features.engines.children import ask
from lmkl_core.features.engines.engine import Engine, EngineError, has_torch, without_torch
from lmkl_core.features.engines.probe import LIMIT, probe_key, relative_difference
from lmkl_core.features.networks.registry import Graph
from lmkl_core.system.processes import module_command

EngineName: TypeAlias = Literal["auto", "onnxruntime", "torch"]
Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with steps done, steps in all, and what is being done."""

ENGINE_NAMES: tuple[EngineName, ...] = get_args(EngineName)
EXPORT = "lmkl_core.features.engines.export"
PROBE = "lmkl_core.features.engines.probe"
EXPORT_SECONDS = 900.0
PROBE_SECONDS = 180.0

MOST_DEATHS = 2
"""Deaths of this program at the first use of an engine after which the engine is given up."""


@dataclass(frozen=True)
class Task:
    """A graph and the weights it runs with."""

    graph: Graph
    weights: Path
    key: str


@dataclass
class Chooser:
    """Prepare engines for graphs: onnxruntime for ``auto``, and torch where that fails."""

    wish: EngineName
    cache: Cache
    threads: int | None = None
    progress: Progress | None = None
    cancel: Callable[[], bool] | None = None
    _done: int = field(default=0, init=False)
    _steps: int = field(default=0, init=False)
    _loaded: dict[Task, Entry] = field(default_factory=dict, init=False)
    _engines: dict[Task, Engine] = field(default_factory=dict, init=False)

    def __call__(self, tasks: Sequence[Task]) -> tuple[list[Engine], tuple[str, ...]]:
        """Return an engine for every task, and why some do not run in onnxruntime."""
        if self.wish not in ENGINE_NAMES:
            raise InvalidInputError(
                f"There is no engine {self.wish!r}; the engines are {', '.join(ENGINE_NAMES)}."
            )
        self._done, self._steps = 0, 3 * len(tasks)
        reasons = dict.fromkeys(tasks, "")
        if self.wish != "torch":
            reasons = self._exported(tasks)
            reasons |= self._probed("onnxruntime", [task for task in tasks if not reasons[task]])
            reasons |= self._first_runs([task for task in tasks if not reasons[task]])
        refused = [task for task in tasks if reasons[task]]
        if refused and self.wish == "onnxruntime":
            raise EngineError(
                f"onnxruntime cannot run {refused[0].graph.label}, because "
                f"{reasons[refused[0]]}; choose the engine auto or torch."
            )
        for_torch = list(tasks) if self.wish == "torch" else refused
        if for_torch and not has_torch():
            why = reasons[for_torch[0]]
            also = f", which onnxruntime cannot run here ({why})," if why else ""
            raise without_torch(f"{for_torch[0].graph.label}{also}")
        for task, problem in self._probed("torch", for_torch).items():
            if problem:
                also = f" (nor can onnxruntime: {reasons[task]})" if reasons[task] else ""
                raise EngineError(
                    f"torch cannot run {task.graph.label} on this machine: {problem}{also}; "
                    "install another version of torch or onnxruntime."
                )
        if for_torch:
            # Importing torch takes seconds, and without it the app runs all the same.
            from lmkl_core.features.engines.torch_engine import TorchEngine

            for task in for_torch:
                self._engines[task] = TorchEngine(task.graph, task.weights, threads=self.threads)
        self._tell(self._steps, "ready")
        notes = (f"{task.graph.label} runs in torch, because {reasons[task]}." for task in refused)
        return [self._engines[task] for task in tasks], tuple(notes)

    def _exported(self, tasks: Sequence[Task]) -> dict[Task, str]:
        """Make the graphs that are missing; return why a task has none, or nothing."""
        for task in tasks:
            if (entry := self.cache.load(task.key)) is not None:
                self._loaded[task] = entry
        reasons = {task: entry.refused for task, entry in self._loaded.items()}
        missing = [task for task in tasks if task not in reasons]
        self._tell(len(reasons), "preparing networks")
        for task, reply in self._ask(EXPORT, missing, EXPORT_SECONDS):
            reasons[task] = reply.get("refused", "")
            if "failed" in reply:
                reasons[task] = f"preparing it failed: {reply['failed']}"
            self._tell(self._done + 1, f"prepared {task.graph.label}")
        return reasons

    def _probed(self, engine: str, tasks: Sequence[Task]) -> dict[Task, str]:
        """Probe what has not been probed; return what is wrong with each task, or nothing."""
        known = {task: self._known(engine, task) for task in tasks}
        problems = {task: probe.problem for task, probe in known.items() if probe is not None}
        unknown = [task for task in tasks if task not in problems]
        for task, reply in self._ask(PROBE, unknown, PROBE_SECONDS, engine=engine):
            problem = reply.get("problem")
            if not isinstance(problem, str):
                failed = reply.get("failed", "it gave an answer that makes no sense")
                problem = f"a trial run failed: {failed}"
            problems[task] = problem
            if not reply.get("asked"):
                self._remember(engine, task, problem)
            self._tell(self._done + 1, f"tried {task.graph.label} with {engine}")
        return problems

    def _known(self, engine: str, task: Task) -> Probe | None:
        """Return the remembered probe of an engine, unless this program died at its first use.

        After one death the child is asked again, because something else may have ended the program;
        after several the engine is given up, whatever a child says.
        """
        key = probe_key(engine, task.key)
        known = self.cache.probe(key)
        if known is None or known.problem or not (deaths := self.cache.deaths(key)):
            return known
        if deaths < MOST_DEATHS:
            return None
        known = self._remember(engine, task, f"the program ended {deaths} times at its first use")
        self.cache.forget_deaths(key)
        return known

    def _remember(self, engine: str, task: Task, problem: str) -> Probe:
        outcome = Probe(engine, task.graph.label, problem, time())
        with suppress(InvalidInputError):  # what cannot be remembered is tried again next time
            self.cache.remember(probe_key(engine, task.key), outcome)
        return outcome

    def _first_runs(self, tasks: Sequence[Task]) -> dict[Task, str]:
        """Make onnxruntime's engines and run each once here; return what is wrong, or nothing.

        The child survived this with the right values. If this process does not, it dies where
        nothing can be lost, and leaves a mark that the next start finds.
        """
        if not tasks:
            return {}
        # Here, so that presets without networks load no engine.
        from lmkl_core.features.engines.onnx_engine import OnnxEngine

        problems = {}
        for task in tasks:
            entry = self._loaded.pop(task, None) or self.cache.load(task.key)
            if entry is None:
                raise EngineError(
                    f"The graph of {task.graph.label} has just gone from {self.cache.folder}; "
                    "start again, and let no other program clear this folder meanwhile."
                )
            try:
                with self.cache.first_use(probe_key("onnxruntime", task.key)):
                    engine = OnnxEngine(entry.onnx)
                    found = engine.run(entry.crops[:1])
                difference = relative_difference(found, [view[:1] for view in entry.views])
            except Exception as error:  # onnxruntime's own have no common kind
                problem = f"its first run failed: {type(error).__name__}"
            else:
                off = difference > LIMIT
                problem = f"the values of its first run are off by {difference:.1e}" if off else ""
            problems[task] = problem
            if problem:
                self._remember("onnxruntime", task, problem)
            else:
                self._engines[task] = engine
        return problems

    def _ask(self, module: str, tasks: Sequence[Task], timeout: float, **more: Any):
        jobs = [
            {
                "graph": asdict(task.graph),
                "weights": str(task.weights),
                "key": task.key,
                "folder": str(self.cache.folder),
                **more,
            }
            for task in tasks
        ]
        replies = ask(module_command(module), jobs, timeout=timeout, cancel=self.cancel)
        for task, reply in zip(tasks, replies, strict=True):
            if "invalid" in reply:
                raise InvalidInputError(reply["invalid"])
            yield task, reply

    def _tell(self, done: int, what: str) -> None:
        self._done = done
        if self.progress is not None:
            self.progress(min(done, self._steps), self._steps, what)
