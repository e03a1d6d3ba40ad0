"""The exported scorer agrees with its model."""

import warnings
from functools import cache

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from lmkl_core import LocalisedMKL, register_kernel
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.scorer_onnx import (
    OUTPUTS,
    THRESHOLD,
    ParityError,
    compare,
    scorer_graph,
)
from lmkl_core.kernels import KERNELS

NAMES = ("eyes/net.block2", "mouth")


def views(n=60, dtype=np.float64, seed=0, mean=20):
    """Return two views that drift slowly around ``mean``, like the frames of a take."""
    rng = np.random.default_rng(seed)
    drift = np.cumsum(rng.normal(scale=0.1, size=(n, 3)), axis=0)
    return {
        name: (mean + drift @ rng.normal(size=(3, columns))).astype(dtype)
        for name, columns in zip(NAMES, (4, 16), strict=True)
    }


@cache
def fitted(dtype=np.float64, n=60, mean=20, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LocalisedMKL(random_state=0, delta=0.01, **parameters).fit(
            views(n, dtype, mean=mean)
        )


def run(graph, rows, outputs=None):
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    return session.run(outputs, rows)


# Linear kernels are not centred: far from zero their rounding depends on the processor.
CASES = {
    "default": {},
    "one cluster": {"n_clusters": 1},
    "linear": {"kernel": "linear", "mean": 1},
    "mixed": {"kernel": ("rbf", "linear"), "mean": 1},
    "inducing": {"n_inducing": 20, "n": 200},
    "inducing, linear": {"n_inducing": 20, "n": 200, "kernel": "linear", "mean": 1},
    "one view": {"constraint": "single", "view": "mouth"},
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("parameters", CASES.values(), ids=CASES)
def test_that_the_graph_agrees_with_the_model(parameters, dtype):
    model = fitted(dtype, **parameters)
    parity = compare(scorer_graph(model), model)
    assert parity.n_rows > 100
    single = 1e-4 if "kernel" in parameters else 1e-5
    assert parity.largest < (single if dtype is np.float32 else 1e-10)


def interpreted(graph, rows):
    """Run a graph in ONNX's own slow interpreter."""
    return ReferenceEvaluator(onnx.load_from_string(graph)).run(None, rows)


@pytest.mark.parametrize("runtime", [run, interpreted])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_that_every_output_agrees_for_unseen_rows(dtype, runtime):
    model = fitted(dtype, **CASES["mixed"])
    # From the mirrored take to the take: some rows are refused, some are between clusters.
    factors = np.linspace(-1, 1, 60)[:, None]
    rows = {name: (factors * array).astype(dtype) for name, array in views(mean=1).items()}
    score, contributions, memberships, accepted = runtime(scorer_graph(model), rows)
    tolerance = 1e-5 if dtype is np.float32 else 1e-10
    np.testing.assert_allclose(score, model.score_samples(rows), atol=tolerance)
    np.testing.assert_allclose(contributions, model.explain(rows), atol=tolerance)
    np.testing.assert_allclose(memberships, model.memberships(rows), atol=tolerance)
    np.testing.assert_array_equal(accepted, model.predict(rows) == 1)
    assert set(accepted) == {True, False}


def test_that_the_inputs_are_the_views_with_any_number_of_rows():
    model = fitted(np.float32)
    session = onnxruntime.InferenceSession(scorer_graph(model), providers=["CPUExecutionProvider"])
    assert [(item.name, item.shape, item.type) for item in session.get_inputs()] == [
        (NAMES[0], ["batch", 4], "tensor(float)"),
        (NAMES[1], ["batch", 16], "tensor(float)"),
    ]
    assert tuple(item.name for item in session.get_outputs()) == OUTPUTS
    for n in (0, 1, 7):
        assert session.run(["contributions"], views(n, np.float32))[0].shape == (n, 3, 2)


def test_that_threshold_and_metadata_can_be_read_back():
    model = fitted()
    proto = onnx.load_from_string(scorer_graph(model, metadata={"model_digest": "ab"}))
    constants = {item.name: item for item in proto.graph.initializer}
    assert float(numpy_helper.to_array(constants[THRESHOLD])) == model.offset_
    assert {item.key: item.value for item in proto.metadata_props} == {"model_digest": "ab"}


@pytest.mark.fault("Numbers", "NaN or infinite features to the exported ONNX scorer")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_that_a_row_that_is_not_finite_scores_nan_and_is_not_accepted(value, kernel):
    model = fitted(kernel=kernel)
    rows = {each: array[:2].copy() for each, array in model.support_views().items()}
    rows[NAMES[kernel == "rbf"]][1, 0] = value
    score, contributions, memberships, accepted = run(scorer_graph(model), rows)
    for output in (score, contributions, memberships):
        assert np.isfinite(output[0]).all()
        assert np.isnan(output[1]).all()
    assert not accepted[1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_that_rows_at_the_centre_of_a_cluster_have_a_score(dtype):
    # Rounding makes some squared distances negative, which have no root.
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rows = {
            name: np.repeat(5 * rng.normal(size=(3, 4)), 20, axis=0).astype(dtype) for name in NAMES
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LocalisedMKL(random_state=0, n_clusters=3).fit(rows)
        score, *_ = run(scorer_graph(model), rows)
        np.testing.assert_allclose(score, model.score_samples(rows), atol=1e-6)


def test_that_a_custom_kernel_is_refused(monkeypatch):
    monkeypatch.setattr("lmkl_core.kernels.KERNELS", KERNELS)
    monkeypatch.setitem(KERNELS, "own", None)
    register_kernel("own", lambda X, Y, *, width: (1 + X @ Y.T) ** 2)
    with pytest.raises(InvalidInputError, match="'own'"):
        scorer_graph(fitted(kernel="own"))


def test_that_a_view_with_a_reserved_name_is_refused():
    rows = np.random.default_rng(0).normal(size=(20, 3))
    for name in ("score", "threshold", "scorer_Exp_3", ""):
        model = LocalisedMKL(random_state=0).fit({name: rows})
        with pytest.raises(InvalidInputError, match=f"named '{name}'"):
            scorer_graph(model)


def altered(graph, output, *nodes):
    """Return the graph with an output computed by other nodes from its old value, ``held``."""
    proto = onnx.load_from_string(graph)
    for node in proto.graph.node:
        for names in (node.input, node.output):
            names[:] = ["held" if name == output else name for name in names]
    constants = {"little": np.array(0.01), "zero": np.array(0.0)}
    proto.graph.initializer.extend(
        numpy_helper.from_array(value, name) for name, value in constants.items()
    )
    proto.graph.node.extend(
        helper.make_node(operator, inputs.split(), [result]) for operator, inputs, result in nodes
    )
    return proto.SerializeToString()


ALTERED = [
    # The output, the problem that must be found, and the nodes that change the output.
    ("score", "differs", ("Add", "held little", "score")),
    ("contributions", "differs", ("Add", "held little", "contributions")),
    ("memberships", "differs", ("Add", "held little", "memberships")),
    ("score", "by inf", ("Div", "zero zero", "nan"), ("Add", "held nan", "score")),
    ("accepted", "decides", ("Not", "held", "accepted")),
    ("score", "not finite", ("IsNaN", "held", "bad"), ("Where", "bad zero held", "score")),
]


@pytest.mark.parametrize("alteration", ALTERED, ids=str)
def test_that_a_graph_that_computes_something_else_is_refused(alteration):
    (output, problem, *nodes), model = alteration, fitted()
    with pytest.raises(ParityError, match=problem):
        compare(altered(scorer_graph(model), output, *nodes), model)


def test_that_a_graph_that_cannot_run_is_refused():
    for graph, reason in ((b"not a graph", ""), (scorer_graph(fitted(np.float32)), "float")):
        with pytest.raises(ParityError, match=rf"cannot run.*\(.*{reason}"):
            compare(graph, fitted())
