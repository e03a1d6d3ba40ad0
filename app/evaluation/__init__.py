"""Evaluation of methods on a database's protocol: features, fits, thresholds, scores."""
