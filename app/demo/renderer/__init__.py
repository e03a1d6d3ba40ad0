"""Generated recordings: people that do not exist before a webcam, and attacks on them.

Genuine takes and attacks share renderer, camera, size, position and motion; they differ in what a
print, a screen or a mask does to light.
"""
