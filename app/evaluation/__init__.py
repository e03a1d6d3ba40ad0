"""Measuring methods on a protocol: features on disk, fits, thresholds, tables."""
