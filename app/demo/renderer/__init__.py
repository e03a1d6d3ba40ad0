"""Generated recordings: people that do not exist before a webcam, and attacks on them.

They feed the built-in demo and the tests. Genuine takes and attacks go through one renderer and
one camera, with the same distribution of size, position, motion, focus and compression, so that
what tells them apart is what a print, a screen or a mask does to light. They choose nothing: views
and thresholds are chosen on real recordings (``python -m benchmarks real``).

``takes`` says what is recorded, ``scene`` puts it before the camera, ``camera`` records it.
"""
