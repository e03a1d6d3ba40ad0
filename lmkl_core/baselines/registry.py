"""The compared methods by name, in the order of the paper's tables, with ours last."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lmkl_core.baselines.concatenated import (
    AutoEncoder,
    ConcatenatedOCSVM,
    MahalanobisDistance,
    MixtureDensity,
    NearestNeighbour,
)
from lmkl_core.baselines.kernel_machines import MultipleKernelOCSVM, MultipleKernelSVDD
from lmkl_core.errors import InvalidInputError
from lmkl_core.estimator import LocalisedMKL
from lmkl_core.selection import DELTAS, EXPONENTS, serpentine_pairs

Uses = Literal["all", "single", "lbp", "iqm"]

HAND_MADE = ("lbp", "iqm")
"""Name endings of views that are hand-made descriptors, as in ``face/lbp``."""


@dataclass(frozen=True, eq=False)
class Method:
    """One row of a table of methods.

    Attributes
    ----------
    name, title : str
        Its key in `METHODS`, and its name in tables.
    uses : str
        Its views: ``"all"`` except hand-made descriptors, ``"single"`` for the same views one at a
        time (one row each), ``"lbp"`` or ``"iqm"`` for the descriptors of that name.
    parameters, candidates : mapping, tuple of mapping
        Fixed parameters of ``estimator``, and the candidates that `grid` returns.
    published, citation : str
        Name of the row in the paper's tables, if any, and the key of the cited publication.
    differs : str
        How this method differs from the published one, as a clause.
    """

    name: str
    title: str
    uses: Uses
    estimator: Callable[..., Any]
    parameters: Mapping[str, Any]
    candidates: tuple[Mapping[str, Any], ...] = ({},)
    published: str = ""
    citation: str = ""
    differs: str = ""

    def make(self, view: str | None = None, random_state: Any = 0, **parameters: Any) -> Any:
        """Return an unfitted estimator.

        ``view`` is for ``"single"`` methods, ``random_state`` for randomised ones.
        """
        if view is not None and self.uses != "single":
            raise InvalidInputError(
                f"Method {self.name!r} uses all its views together: leave out view={view!r}."
            )
        fixed = dict(self.parameters)
        reserved = [name for name in parameters if name in fixed]
        if reserved:
            raise InvalidInputError(
                f"Leave out {', '.join(reserved)}: method {self.name!r} sets its own value."
            )
        if view is not None:
            fixed["view"] = view
        if "random_state" in self.estimator().get_params():
            fixed["random_state"] = random_state
        return self.estimator(**fixed, **parameters)

    def grid(self) -> list[dict[str, Any]]:
        """Return candidates for the parameters of `make`."""
        return [dict(candidate) for candidate in self.candidates]

    def title_for(self, view: str | None = None) -> str:
        """Return the title of the row for a view."""
        return self.title if view is None else f"{self.title}: {view}"


def views_for(method: Method | str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the views that a method uses, in the order given."""
    uses = METHODS[method].uses if isinstance(method, str) else method.uses
    if uses in HAND_MADE:
        return tuple(name for name in names if name.endswith(f"/{uses}"))
    endings = tuple(f"/{ending}" for ending in HAND_MADE)
    return tuple(name for name in names if not name.endswith(endings))


def _axis(name: str, values: Iterable[Any]) -> tuple[dict[str, Any], ...]:
    return tuple({name: value} for value in values)


_PAPER_GRID = tuple(
    {"delta": delta, "p": p, "q": q} for delta in DELTAS for p, q in serpentine_pairs(EXPONENTS)
)
_DELTAS = _axis("delta", DELTAS)
_NUS = _axis("nu", (0.01, 0.05, 0.1, 0.2, 0.5))  # shares of outliers among the training rows
_MIXTURES = _axis("n_components", (1, 2, 3, 5))
_NEIGHBOURS = _axis("n_neighbors", (1, 3, 5))
_BOTTLENECKS = _axis("bottleneck", (0.1, 0.25, 0.5))  # widths of the narrowest layer

_OWN = "it uses the descriptor of this library"
_AE_LBP = "a small network on principal components of the descriptors"
_AE_VIEWS = "a small network on principal components of the views, not on pixels"
_HERE = "it uses the views of this library"
_EQUAL = "equal kernel weights, but without the sparsity and the score model of the original"
_SINGLE = {"constraint": "single", "n_clusters": 1}
_FUSION = {"constraint": "uniform", "n_clusters": 1}
_ONE = {"n_clusters": 1}
_SVDD, _SVM, _LPQ = "Multiple Kernel-SVDD", "Multiple Kernel-OCSVM", "ℓp,q-MKL"
_AE, _WORK, _FUSED = "Autoencoder", "The work in", "Unweighted kernel fusion"
_OURS = "Localised MKL"

# name, title, uses, estimator, parameters, candidates, published, citation, differs
_ROWS = (
    Method(
        "iqm-ocsvm", "IQM+OCSVM", "iqm", ConcatenatedOCSVM, {}, _NUS, "IMQ+OCSVM", "7984788", _OWN
    ),
    Method("lbp-nn", "LBP+NN", "lbp", NearestNeighbour, {}, _NEIGHBOURS, "LBP+NN", "8698574", _OWN),
    Method("lbp-gmm", "LBP+GMM", "lbp", MixtureDensity, {}, _MIXTURES, "LBP+GMM", "8698574", _OWN),
    Method(
        "lbp-ocsvm", "LBP+OCSVM", "lbp", ConcatenatedOCSVM, {}, _NUS, "LBP+OCSVM", "8698574", _OWN
    ),
    Method("lbp-ae", "LBP+AE", "lbp", AutoEncoder, {}, _BOTTLENECKS, "LBP+AE", "8698574", _AE_LBP),
    Method("ocsvm", "OCSVM", "all", ConcatenatedOCSVM, {}, _NUS),
    Method("nn", "NN", "all", NearestNeighbour, {}, _NEIGHBOURS),
    Method("gmm", "GMM", "all", MixtureDensity, {}, _MIXTURES),
    Method("autoencoder", _AE, "all", AutoEncoder, {}, _BOTTLENECKS, _AE, "1640964", _AE_VIEWS),
    Method("md", "MD", "all", MahalanobisDistance, {}, ({},), "MD", "8682253", _HERE),
    Method("single", "Single kernel", "single", LocalisedMKL, _SINGLE, _DELTAS),
    Method("fusion", _FUSED, "all", LocalisedMKL, _FUSION, _DELTAS, _WORK, "9303455", _EQUAL),
    Method("mk-svdd", _SVDD, "all", MultipleKernelSVDD, {}, _NUS, _SVDD, "9535490"),
    Method("mk-ocsvm", _SVM, "all", MultipleKernelOCSVM, {}, _NUS, _SVM, "9535490"),
    Method("lpq-mkl", _LPQ, "all", LocalisedMKL, _ONE, _PAPER_GRID, _LPQ, "9535490"),
    Method("localised-mkl", _OURS, "all", LocalisedMKL, {}, _PAPER_GRID, _OURS),
)

METHODS: Mapping[str, Method] = {method.name: method for method in _ROWS}
"""Methods by name."""
