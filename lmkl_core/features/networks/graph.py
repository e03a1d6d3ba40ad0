"""What one exported graph computes, as a value that can be hashed, compared and sent as JSON."""

import hashlib
import json
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any

from lmkl_core.features.networks.registry import NETWORKS, NetworkSpec
from lmkl_core.features.presets.preset import Normalisation, Photometry, Pooling

VIEWS_FORMAT = 1
"""Raised whenever the same preset and weights would give other values than before."""

OPSET = 18
"""Of the ONNX standard."""

BUILDING, REWRITING = 1, 3
"""Raised whenever `engines.build`, or the rewriting of torch's exports, writes other graphs."""

GREY = 127.5
"""Mean that photometry gives every channel of a crop."""

SPREAD = 58.0
"""Standard deviation that ``standardise`` gives it: that of ImageNet's pixels, about."""

DARKEST = FLATTEST = 1.0
"""A channel darker or flatter than one grey level is noise, and not amplified further."""

VARIANCE_FLOOR = 1e-10
"""Far below any live activation, far above the rounding of a constant channel's variance."""

SMALLEST_NORM = 1e-12


@dataclass(frozen=True)
class Output:
    """One output of a graph: a layer, its pooling and what is done to the pooled vector."""

    layer: str
    pooling: Pooling
    normalisation: Normalisation


@dataclass(frozen=True)
class Graph:
    """A network up to the deepest layer used, for square crops of one size."""

    network: str
    size: int
    photometry: Photometry
    outputs: tuple[Output, ...]

    @property
    def spec(self) -> NetworkSpec:
        """The network."""
        return NETWORKS[self.network]

    @property
    def columns(self) -> tuple[int, ...]:
        """Length of each output."""
        return tuple(
            self.spec.layer(output.layer).channels * len(output.pooling.split("+"))
            for output in self.outputs
        )

    @property
    def label(self) -> str:
        """How messages call it."""
        layers = ", ".join(dict.fromkeys(output.layer for output in self.outputs))
        return f"{self.network} ({layers}) at {self.size} pixels"

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return json.loads(json.dumps(asdict(self)))

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Graph":
        """Return what `to_json` wrote."""
        outputs = tuple(Output(**output) for output in values["outputs"])
        return cls(values["network"], values["size"], values["photometry"], outputs)

    @property
    def exporter(self) -> str:
        """What decides, besides graph and weights, how its ONNX graph looks."""
        if not self.spec.needs_torch:
            return f"building {BUILDING}"
        versions = [f"{name} {metadata.version(name)}" for name in ("torch", "onnxruntime")]
        return ", ".join([*versions, f"opset {OPSET}", f"rewriting {REWRITING}"])

    def key(self, weights_sha256: str, exporter: str = "") -> str:
        """Return the name under which a cache keeps this graph with these weights."""
        parts = {
            "graph": self.to_json(),
            "weights": weights_sha256,
            "exporter": exporter or self.exporter,
            "views format": VIEWS_FORMAT,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
