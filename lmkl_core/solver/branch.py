r"""Branch and bound over the slices of a non-convex constraint set.

A group's set is the union over ``s`` of the convex slices ``J_s`` (`lmkl_core.solver.certificate`),
``0 <= s <= |1/p - 1/q| log(size)``; with several groups there is one ``s`` each. A *box* is a
product of intervals of ``s``. Every ``lambda`` evaluated so far bounds every box:

``phi(m) >= cut_constant - sum_groups max {u . m : m in J_s, s in interval}``  for ``m`` in the box,

and the bound of a box is the best over all cuts. The box with the smallest bound is closed if that
bound is within the tolerance of the best objective. Otherwise it is halved, after a cut of its own
where the known ones are too loose, by a few Newton steps on the convex slice ``E_s`` at its middle.
A cut touches the true minimum over its slice with the right slope, so the error of bounds is of
second order in the width of a box, and few cuts suffice. The smallest bound of all boxes is a valid
lower bound at any time.
"""

import heapq
import itertools
from dataclasses import dataclass, field

import numpy as np

from lmkl_core.errors import asked_to_stop
from lmkl_core.solver.certificate import SupportCurves
from lmkl_core.solver.constraints import NormConstraint
from lmkl_core.solver.newton import Geometry, descend
from lmkl_core.solver.problem import Evaluation, Problem


class Cut:
    """A lower bound on ``phi`` over any slice, from one evaluated point."""

    def __init__(self, evaluation: Evaluation, constraint: NormConstraint):
        self.constant = evaluation.cut_constant
        groups = constraint.split(evaluation.sensitivity)
        self.curves = [SupportCurves(group, constraint.p, constraint.q) for group in groups]

    def bound(self, low: np.ndarray, high: np.ndarray, tighten: bool = False) -> float:
        """Bound ``phi`` from below over a box of slices."""
        parts = zip(self.curves, low, high, strict=True)
        return self.constant - sum(c.on_slices(a, b, tighten) for c, a, b in parts)


@dataclass(order=True)
class Box:
    """A product of intervals of slices with its proven bound."""

    bound: float
    serial: int
    low: np.ndarray = field(compare=False)
    high: np.ndarray = field(compare=False)
    cuts_seen: int = field(compare=False, default=0)


class BranchAndBound:
    """Prove or improve the best known objective, to the relative gap ``tol``.

    ``x`` is the best known point: logarithms of the weights, split into groups.
    """

    def __init__(self, problem: Problem, constraint: NormConstraint, x, evaluation, tol):
        self.problem, self.constraint, self.tol = problem, constraint, tol
        self.x, self.evaluation = x, evaluation
        self.cuts = [Cut(evaluation, constraint)]
        self._serial = itertools.count()
        width = np.full(constraint.n_groups, constraint.max_log_ratio)
        self._heap = [Box(-np.inf, next(self._serial), np.zeros_like(width), width)]

    @property
    def lower_bound(self) -> float:
        """Proven lower bound on the objective over the whole set."""
        return self._heap[0].bound

    @property
    def target(self) -> float:
        """Bound at which a box is closed."""
        return self.evaluation.objective * (1 - 0.9 * self.tol)

    def run(self, max_solves: int, max_boxes: int = 20_000, cancel=None) -> None:
        """Process the box with the smallest bound until all are closed or the budget is spent."""
        limit = self.problem.n_solves + max_solves
        for _ in range(max_boxes):
            box = heapq.heappop(self._heap)
            self._update(box)
            if self._heap and box.bound > self._heap[0].bound:
                heapq.heappush(self._heap, box)
                continue
            done = box.bound >= self.target or self.problem.n_solves >= limit
            if done or asked_to_stop(cancel):
                heapq.heappush(self._heap, box)
                return
            self._open(box)

    def _update(self, box: Box) -> None:
        """Apply the cuts added since the box was last updated."""
        for cut in self.cuts[box.cuts_seen :]:
            box.bound = max(box.bound, cut.bound(box.low, box.high))
        box.cuts_seen = len(self.cuts)

    def _open(self, box: Box) -> None:
        middle = (box.low + box.high) / 2
        bounds = [cut.bound(middle, middle) for cut in self.cuts]
        best = self.cuts[int(np.argmax(bounds))]
        if best.bound(middle, middle, tighten=True) < self.target:
            best = self._cut_at(middle)
        axis = int(np.argmax(box.high - box.low))
        for low, high in ((box.low[axis], middle[axis]), (middle[axis], box.high[axis])):
            child_low, child_high = box.low.copy(), box.high.copy()
            child_low[axis], child_high[axis] = low, high
            child = Box(box.bound, next(self._serial), child_low, child_high)
            self._update(child)
            child.bound = max(child.bound, best.bound(child_low, child_high, tighten=True))
            heapq.heappush(self._heap, child)

    def _cut_at(self, slices: np.ndarray) -> Cut:
        """Minimise over the convex slices ``E_s`` until the cut closes them."""
        sign = 1.0 if self.constraint.p <= self.constraint.q else -1.0
        geometry = Geometry(self.constraint, sign * slices)
        x = geometry.normalise(self.x)
        evaluation = self.problem.evaluate(np.exp(x))
        cut = Cut(evaluation, self.constraint)
        for _ in range(30):
            if cut.bound(slices, slices, tighten=True) >= self.target:
                break
            step = descend(self.problem, geometry, x, evaluation)
            if step is None:
                break
            x, evaluation = step
            cut = Cut(evaluation, self.constraint)
            if evaluation.objective < self.target:
                self._adopt(self.constraint.normalise(x))
        self.cuts.append(cut)
        return cut

    def _adopt(self, x: np.ndarray) -> None:
        """Descend on the whole set from a point that is better than the best known one."""
        geometry = Geometry(self.constraint)
        evaluation = self.problem.evaluate(np.exp(x))
        if evaluation.objective >= self.evaluation.objective:
            return
        for _ in range(100):
            step = descend(self.problem, geometry, x, evaluation)
            if step is None:
                break
            x, evaluation = step
        self.x, self.evaluation = x, evaluation
        self.cuts.append(Cut(evaluation, self.constraint))
