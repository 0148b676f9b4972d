"""Turns measures into a probability by logistic weights that ship as data."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class LogisticChooser:
    """Logistic weights over named measures, and the least probability that counts."""

    weights: Mapping[str, float]
    bias: float
    threshold: float

    def probability(self, measures: Mapping[str, float]) -> float:
        """Return the probability; a measure without a weight does not count."""
        score = self.bias + sum(self.weights.get(name, 0.0) * value for name, value in measures.items())
        return 1 / (1 + math.exp(-max(-40.0, min(40.0, score))))


def load_logistic_chooser(package: str, path: str) -> LogisticChooser:
    """Return the chooser whose weights are the JSON file at `path` in `package`."""
    document = json.loads(files(package).joinpath(path).read_text(encoding="utf-8"))
    return LogisticChooser(document["weights"], document["bias"], document["threshold"])
