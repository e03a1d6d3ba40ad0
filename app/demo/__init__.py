"""The built-in demo: generated people and attacks, as a source and as a job without a screen."""
