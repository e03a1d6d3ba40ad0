"""A picture of the frames with the highest and lowest scores; only these are kept in memory."""

import bisect
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from app.capture.frames import as_rgb
from app.capture.opencv import cv2
from app.types import Image, ScoredFrame, Verdict
from app.vision.faces.alignment import resample

TILE = 168  # side of a frame's picture in pixels

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")

_CAPTION, _MARGIN, _HEADING, _LEGEND = 72, 12, 34, 26
_AROUND = 1.5  # side of the cut-out, relative to the face's box
_LONGEST_NAME = 22  # characters that fit below a tile

Colour = tuple[int, int, int]
_PAPER, _INK, _FAINT = (255, 255, 255), (32, 34, 38), (104, 108, 116)
_COLOURS = {
    Verdict.GENUINE: (14, 122, 84),
    Verdict.ATTACK: (190, 44, 40),
    Verdict.UNFAMILIAR: (166, 98, 0),
}


@dataclass(frozen=True, eq=False)
class Tile:
    picture: Image
    score: float
    verdict: Verdict
    source: str
    position: str


@dataclass(eq=False)
class ContactSheet:
    """Collects the frames with the highest and the lowest scores, ``n_each`` of each."""

    n_each: int
    threshold: float
    tiles: list[Tile] = field(default_factory=list)  # lowest score first

    def offer(self, source: str, scored: ScoredFrame) -> None:
        """Keep a frame if its score is among the highest or lowest so far."""
        if scored.score is None:
            return
        name = "/".join(Path(source).parts[-2:])[-_LONGEST_NAME:]
        position = f"frame {scored.frame.number}, {scored.frame.time:.1f} s"
        tile = Tile(_cut_out(scored), scored.score, scored.verdict, name, position)
        bisect.insort(self.tiles, tile, key=lambda tile: tile.score)
        if len(self.tiles) > 2 * self.n_each:
            del self.tiles[self.n_each]

    def picture(self) -> Image:
        """Return the sheet; needs at least one tile."""
        n_worst = len(self.tiles) // 2
        bands = {"Most genuine": self.tiles[n_worst:][::-1]}
        if n_worst:
            bands["Least genuine"] = self.tiles[:n_worst]
        step = _HEADING + TILE + _CAPTION
        width = _MARGIN + max(len(self.tiles) - n_worst, 2) * (TILE + _MARGIN)
        height = len(bands) * step + _LEGEND + _MARGIN
        canvas = np.full((height, width, 3), _PAPER, np.uint8)
        for number, (heading, tiles) in enumerate(bands.items()):
            top = number * step
            _write(canvas, heading, (_MARGIN, top + 23), 0.56, _INK)
            for column, tile in enumerate(tiles):
                _draw(canvas, tile, _MARGIN + column * (TILE + _MARGIN), top + _HEADING)
        legend = f"Threshold {self.threshold:.4f}: accepted when score >= threshold"
        _write(canvas, legend, (_MARGIN, height - _MARGIN), 0.42, _FAINT)
        return canvas


def encode(picture: Image, path: Path) -> bytes:
    """Return the contents of a picture file; its name ends in one of `SUFFIXES`."""
    bgr = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    return bytes(cv2.imencode(path.suffix.lower(), bgr)[1].tobytes())


def _cut_out(scored: ScoredFrame) -> Image:
    image, _ = as_rgb(scored.frame.image)
    assert image is not None  # it has a score
    height, width = image.shape[:2]
    left, top, wide, high = scored.box or (0.0, 0.0, width, height)
    side = max(wide, high, 1.0) * (1.0 if scored.box is None else _AROUND)
    step = side / TILE
    x, y = (middle - side / 2 + step / 2 - 0.5 for middle in (left + wide / 2, top + high / 2))
    return resample(image, np.array([[step, 0.0, x], [0.0, step, y]]), TILE)


def _draw(canvas: Image, tile: Tile, left: int, top: int) -> None:
    colour = _COLOURS.get(tile.verdict, _FAINT)
    canvas[top : top + TILE, left : left + TILE] = tile.picture
    cv2.rectangle(canvas, (left - 2, top - 2), (left + TILE + 1, top + TILE + 1), colour, 3)
    base = top + TILE + 22
    text = f"{tile.score:.4f}  {tile.verdict.value.split()[0]}"
    _write(canvas, text, (left, base), 0.48, colour)
    _write(canvas, tile.source, (left, base + 20), 0.38, _FAINT)
    _write(canvas, tile.position, (left, base + 37), 0.38, _FAINT)


def _write(canvas: Image, text: str, origin: tuple[int, int], size: float, colour: Colour) -> None:
    plain = text.encode("ascii", "replace").decode()  # the font has no other characters
    cv2.putText(canvas, plain, origin, cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)
