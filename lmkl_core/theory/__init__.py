r"""Capacity and generalisation bounds of localised one-class multiple kernel learning.

Symbols, as in the paper: ``n`` training samples, ``C`` clusters, ``G`` views (base kernels),
weights ``mu`` of shape (C, G), memberships ``p_c(x)``, base kernels with ``kappa_g(x, x) <= r^2``,
effective kernel ``K = sum_cg mu_cg diag(p_c) K_g diag(p_c)``, dual coefficients ``lambda``, radius
``Lambda >= sqrt(lambda^T K lambda)``, confidence ``1 - Delta``.

* `weight_bounds`: the largest sum of weights that a constraint family allows;
* `rademacher`: Proposition 2, what its proof covers, and a bound that covers learned weights;
* `radius`: ``Lambda``, of a fit and before it;
* `generalisation`: Proposition 3 as printed and as the cited theorem states it;
* `ratios`: Proposition 4.

**Two conditions no formula here removes.** ``Lambda`` has to be chosen before the data are seen
(`dual_norm_bound` gives such a value for a given ``delta``; the fitted ``Lambda`` is
smaller, and only descriptive), and memberships, kernel widths and ``delta`` have to be fixed
independently of the sample. The expected error is that on bona fide samples: no bound of this kind
says anything about attacks.
"""

from lmkl_core.theory.generalisation import (
    GENERALISATION_FORMS,
    GeneralisationBound,
    LossBound,
    generalisation_bound,
    squared_loss_bound,
)
from lmkl_core.theory.rademacher import (
    RADEMACHER_FORMS,
    FixedWeightsRademacherBound,
    RademacherBound,
    fixed_weights_rademacher_bound,
    rademacher_bound,
)
from lmkl_core.theory.radius import (
    DualNormBound,
    LambdaRadius,
    dual_norm_bound,
    lambda_radius,
)
from lmkl_core.theory.ratios import ComplexityRatio, ComplexityRatios, complexity_ratios
from lmkl_core.theory.weight_bounds import CONSTRAINTS, WeightSumBound, weight_sum_bound

__all__ = [
    "CONSTRAINTS",
    "GENERALISATION_FORMS",
    "RADEMACHER_FORMS",
    "ComplexityRatio",
    "ComplexityRatios",
    "DualNormBound",
    "FixedWeightsRademacherBound",
    "GeneralisationBound",
    "LambdaRadius",
    "LossBound",
    "RademacherBound",
    "WeightSumBound",
    "complexity_ratios",
    "dual_norm_bound",
    "fixed_weights_rademacher_bound",
    "generalisation_bound",
    "lambda_radius",
    "rademacher_bound",
    "squared_loss_bound",
    "weight_sum_bound",
]
