"""From views to a solved problem: on full Gram matrices, or on inducing points."""
