"""Whether a look for cameras can find any, told without loading OpenCV."""

import sys
from pathlib import Path


def may_have_cameras(devices: Path = Path("/dev")) -> bool:
    """Return False only where it is sure that there is no camera.

    On Linux every camera has a node; elsewhere only the system's own interfaces can tell, which
    takes a library and a moment.

    Parameters
    ----------
    devices : Path
        Where the nodes are.
    """
    if sys.platform != "linux":
        return True
    return any(devices.glob("video*"))
