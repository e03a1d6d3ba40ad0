"""Faces: detection, tracking, alignment into crops, head pose.

Two conventions apply throughout. *Positions* (landmarks, transforms) count from the centre
of the top left pixel, as OpenCV's warps do. *Boxes* count from the frame's corner, so that the
whole frame is the box ``(0, 0, width, height)``.
"""
