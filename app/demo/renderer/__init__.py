"""Generated recordings: people that do not exist before a webcam, and attacks on them.

Genuine takes and attacks go through one renderer and one camera, with the same distribution of
size, position, motion, focus and compression, so that what tells them apart is what a print, a
screen or a mask does to light. Views and thresholds are chosen on real recordings alone.

``takes`` says what is recorded, ``scene`` puts it before the camera, ``camera`` records it.
"""
