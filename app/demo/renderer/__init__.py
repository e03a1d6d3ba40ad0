"""Generated recordings: simulated people in front of a webcam, and attacks on them.

Genuine takes and attacks share renderer, camera, size, position and motion; they differ only in how
a print, a screen or a mask affects light.
"""
