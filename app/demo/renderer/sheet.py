"""One picture of everything the generated recordings can show, for the README.

``python -m app.demo.renderer.sheet assets/demo-frames.jpg``
"""

import sys
from itertools import islice

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.renderer.takes import Take, frames
from app.types import Image

COLUMNS = 5
LIGHTS = ("office", "window", "lamp")

# Some way into the take: exposure and motion have settled.
_MOMENT = 15


def sheet(person: str = "P001") -> Image:
    """Return genuine frames in three lights, then one frame of every attack, at half size.

    Parameters
    ----------
    person : str
        Who is shown, one of `app.demo.renderer.PEOPLE`.
    """
    takes = [Take(person, condition=light) for light in LIGHTS]
    takes += [
        Take(person, "attack", instrument, LIGHTS[number % len(LIGHTS)])
        for number, instrument in enumerate(INSTRUMENTS)
    ]
    pictures = [_half(next(islice(frames(take, _MOMENT), 1, None)).image) for take in takes]
    rows = [pictures[start : start + COLUMNS] for start in range(0, len(pictures), COLUMNS)]
    return np.vstack([np.hstack(row) for row in rows])


def _half(image: Image) -> Image:
    half = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(half, np.uint8)


def main() -> None:
    """Write the sheet to the file that the command line names."""
    if len(sys.argv) != 2:
        sys.exit("Name the file to write: python -m app.demo.renderer.sheet FILE.jpg")
    picture = cv2.cvtColor(sheet(), cv2.COLOR_RGB2BGR)
    if not cv2.imwrite(sys.argv[1], picture, [cv2.IMWRITE_JPEG_QUALITY, 88]):
        sys.exit(f"{sys.argv[1]} cannot be written: choose a folder that exists.")


if __name__ == "__main__":
    main()
