"""A picture of the most and the least genuine frames; only these are kept in memory."""

import bisect
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np

from app.capture.frames import as_rgb
from app.capture.opencv import cv2
from app.types import Image, ScoredFrame, Verdict
from lmkl_core.errors import InvalidInputError

TILE = 168
"""Side of a frame's picture in pixels."""

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")

_CAPTION = 72
_MARGIN = 12
_HEADING = 34
_LEGEND = 26
_AROUND = 1.5
"""Side of the cut-out, in sides of the face's box."""

_FONT = cv2.FONT_HERSHEY_SIMPLEX
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
    where: str
    moment: str


@dataclass(eq=False)
class ContactSheet:
    """Gathers the frames with the highest and the lowest scores, ``most`` of each."""

    most: int
    threshold: float
    _highest: list[tuple[float, int, Tile]] = field(default_factory=list)
    _lowest: list[tuple[float, int, Tile]] = field(default_factory=list)
    _n_offered: int = 0

    def offer(self, source: str, scored: ScoredFrame) -> None:
        """Keep a scored frame if it belongs to either end so far."""
        if scored.score is None:
            return
        tile: Tile | None = None
        for end, sign in ((self._highest, -1.0), (self._lowest, 1.0)):
            # The number keeps equal scores apart and prefers the earlier frame.
            key = (sign * scored.score, self._n_offered)
            if len(end) < self.most or key < end[-1][:2]:
                tile = tile or _tile_of(source, scored, scored.score)
                bisect.insort(end, (*key, tile))
                del end[self.most :]
        self._n_offered += 1

    @property
    def rows(self) -> tuple[list[Tile], list[Tile]]:
        """The most genuine frames, best first, and the least, worst first; none is in both."""
        best, worst = ([tile for *_, tile in end] for end in (self._highest, self._lowest))
        if self._n_offered < 2 * self.most:
            n_best = -(-self._n_offered // 2)
            best, worst = best[:n_best], worst[: self._n_offered - n_best]
        return best, worst

    def picture(self) -> Image:
        """Return the sheet; there has to be a frame with a score."""
        best, worst = self.rows
        bands = [band for band in (("Most genuine", best), ("Least genuine", worst)) if band[1]]
        n_columns = max(len(tiles) for _, tiles in bands)
        step = _HEADING + TILE + _CAPTION
        width = max(_MARGIN + n_columns * (TILE + _MARGIN), 2 * (TILE + _MARGIN) + _MARGIN)
        height = len(bands) * step + _LEGEND + _MARGIN
        canvas = np.full((height, width, 3), _PAPER, np.uint8)
        for number, (heading, tiles) in enumerate(bands):
            top = number * step
            _write(canvas, heading, (_MARGIN, top + 23), 0.56, _INK)
            for place, tile in enumerate(tiles):
                _draw(canvas, tile, _MARGIN + place * (TILE + _MARGIN), top + _HEADING)
        legend = f"Threshold {self.threshold:.4f}: accepted when score >= threshold"
        _write(canvas, legend, (_MARGIN, height - _MARGIN), 0.42, _FAINT)
        return canvas


def encoded(picture: Image, path: Path) -> bytes:
    """Return a picture as the bytes of a file whose name ends in one of `SUFFIXES`."""
    done, data = cv2.imencode(path.suffix.lower(), cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    if not done:
        raise InvalidInputError(f"The picture {path.name} cannot be encoded: choose .png.")
    return bytes(data.tobytes())


def _tile_of(source: str, scored: ScoredFrame, score: float) -> Tile:
    image, _ = as_rgb(scored.frame.image)
    assert image is not None  # it has a score
    where = "/".join(Path(source).parts[-2:])
    moment = f"frame {scored.frame.number}, {scored.frame.time:.1f} s"
    return Tile(_cut_out(image, scored.box), score, scored.verdict, where, moment)


def _cut_out(image: Image, box: tuple[float, float, float, float] | None) -> Image:
    """Return a square around the face, or the whole frame in one."""
    height, width = image.shape[:2]
    if box is None:
        x, y, side = width / 2, height / 2, float(max(height, width))
    else:
        x, y = box[0] + box[2] / 2, box[1] + box[3] / 2
        side = max(_AROUND * max(box[2], box[3]), 1.0)
    scale = TILE / side
    matrix = np.array([[scale, 0.0, TILE / 2 - scale * x], [0.0, scale, TILE / 2 - scale * y]])
    # Halving first keeps a large face from turning into noise.
    while scale < 0.5 and min(image.shape[:2]) > 1:
        image = cast(Image, cv2.pyrDown(image))
        scale *= 2
        matrix[:, :2] *= 2
    return cast(Image, cv2.warpAffine(image, matrix, (TILE, TILE), borderValue=(236, 238, 240)))


def _draw(canvas: Image, tile: Tile, left: int, top: int) -> None:
    colour = _COLOURS.get(tile.verdict, _FAINT)
    canvas[top : top + TILE, left : left + TILE] = tile.picture
    cv2.rectangle(canvas, (left - 2, top - 2), (left + TILE + 1, top + TILE + 1), colour, 3)
    base = top + TILE + 22
    _mark(canvas, tile.verdict, (left + 8, base - 6), colour)
    text = f"{tile.score:.4f}  {tile.verdict.value.split()[0]}"
    _write(canvas, text, (left + 22, base), 0.48, colour)
    _write(canvas, _fitting(tile.where, TILE, 0.38), (left, base + 20), 0.38, _FAINT)
    _write(canvas, tile.moment, (left, base + 37), 0.38, _FAINT)


def _mark(
    canvas: Image, verdict: Verdict, centre: tuple[int, int], colour: tuple[int, int, int]
) -> None:
    """Draw the verdict's shape: many people cannot tell the colours apart."""
    x, y = centre
    if verdict is Verdict.GENUINE:
        cv2.circle(canvas, centre, 6, colour, -1, cv2.LINE_AA)
    elif verdict is Verdict.ATTACK:
        cv2.line(canvas, (x - 5, y - 5), (x + 5, y + 5), colour, 3, cv2.LINE_AA)
        cv2.line(canvas, (x - 5, y + 5), (x + 5, y - 5), colour, 3, cv2.LINE_AA)
    else:
        corners = np.array([(x, y - 6), (x + 6, y + 5), (x - 6, y + 5)])
        cv2.fillConvexPoly(canvas, corners, colour, cv2.LINE_AA)


def _write(
    canvas: Image, text: str, place: tuple[int, int], size: float, colour: tuple[int, int, int]
) -> None:
    # The font knows ASCII only.
    plain = text.encode("ascii", "replace").decode()
    cv2.putText(canvas, plain, place, _FONT, size, colour, 1, cv2.LINE_AA)


def _fitting(text: str, width: int, size: float) -> str:
    """Return the end of a text, at most so many pixels wide."""
    shown = plain = text.encode("ascii", "replace").decode()
    while len(shown) > 1 and cv2.getTextSize(shown, _FONT, size, 1)[0][0] > width:
        plain = plain[1:]
        shown = f"...{plain}"
    return shown
