r"""Capacity and generalisation bounds of localised one-class multiple kernel learning.

Symbols, as in the paper: ``n`` training samples, ``C`` clusters, ``G`` views (base kernels),
weights ``mu`` of shape (C, G), memberships ``p_c(x)``, base kernels with ``kappa_g(x, x) <= r^2``,
effective kernel ``K = sum_cg mu_cg diag(p_c) K_g diag(p_c)``, dual coefficients ``lambda``, radius
``Lambda >= sqrt(lambda^T K lambda)``, confidence ``1 - Delta``.

* `complexity`: sums of weights, Propositions 2 and 4, and a bound that covers learned weights;
* `generalisation`: ``Lambda``, Proposition 3 as printed and as the cited theorem states it.

**Two conditions no formula here removes.** ``Lambda`` has to be chosen before the data are seen
(`dual_norm_bound` gives such a value for a given ``delta``; the fitted ``Lambda`` is
smaller, and only descriptive), and memberships, kernel widths and ``delta`` have to be fixed
independently of the sample. The expected error is that on bona fide samples: no bound of this kind
says anything about attacks.
"""

from lmkl_core.solver.constraints import FAMILIES as CONSTRAINTS
from lmkl_core.theory.complexity import (
    RADEMACHER_FORMS,
    ComplexityRatio,
    ComplexityRatios,
    RademacherBound,
    complexity_ratios,
    fixed_weights_rademacher_bound,
    rademacher_bound,
    weight_sum_bound,
)
from lmkl_core.theory.generalisation import (
    GENERALISATION_FORMS,
    DualNormBound,
    GeneralisationBound,
    LossBound,
    dual_norm_bound,
    generalisation_bound,
    lambda_radius,
    squared_loss_bound,
)

__all__ = [
    "CONSTRAINTS",
    "GENERALISATION_FORMS",
    "RADEMACHER_FORMS",
    "ComplexityRatio",
    "ComplexityRatios",
    "DualNormBound",
    "GeneralisationBound",
    "LossBound",
    "RademacherBound",
    "complexity_ratios",
    "dual_norm_bound",
    "fixed_weights_rademacher_bound",
    "generalisation_bound",
    "lambda_radius",
    "rademacher_bound",
    "squared_loss_bound",
    "weight_sum_bound",
]
