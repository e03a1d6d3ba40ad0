"""From a frame to views: faces, quality gate, conditions, pipeline."""
