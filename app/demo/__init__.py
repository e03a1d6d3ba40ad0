"""The built-in demo: generated people and attacks, as a frame source and without a window."""
