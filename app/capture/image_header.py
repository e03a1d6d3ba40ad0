"""The size of an image from its first bytes, so that a giant one is refused before it is decoded.

Knows the formats it accepts (JPEG, PNG, BMP, WebP, TIFF) by their content, whatever the file is
called; everything else is no image to this program.
"""

import re
import struct
from typing import Final

_JPEG_SIZES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_MARKER: Final = re.compile(rb"\xff[^\xff\0]")
"""A zero after 0xff makes no marker: decoders pass over the two, and so must this."""
_JPEG_MOST_SEGMENTS: Final = 1 << 14
"""Real files have a few hundred; a hostile one of millions would take a minute to walk through."""
_PNG_MOST_CHUNKS: Final = 1 << 17
"""Chunks mostly have 8 KiB or more, and the largest file that is read has 256 MiB."""
_PNG_AROUND: Final = 12
"""Bytes of a chunk's length, kind and checksum."""
_TIFF_SIZES: Final = (256, 257, 322, 323)
_TIFF_LARGEST_TILE: Final = 1 << 24
"""Pixels: a decoder makes room for a whole tile, however small the picture is."""
_JPEG_ALONE: Final = frozenset(range(0xD0, 0xD9)) | {0x01}


def image_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height as the header announces them; None for what is no known image."""
    try:
        if data.startswith(b"\xff\xd8\xff"):
            return _jpeg_size(data)
        if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
            return _png_size(data)
        if data.startswith(b"BM"):
            return _bmp_size(data)
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return _webp_size(data)
        if data[:4] in (b"II*\0", b"MM\0*"):
            return _tiff_size(data, "<" if data[:1] == b"I" else ">")
    except (struct.error, IndexError):
        pass  # it breaks off within its header
    return None


def _unpacked(layout: str, data: bytes, offset: int) -> tuple[int, int]:
    width, height = struct.unpack_from(layout, data, offset)
    return abs(int(width)), abs(int(height))


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Walk from marker to marker up to the frame header."""
    position = 2
    for _ in range(_JPEG_MOST_SEGMENTS):
        found = _JPEG_MARKER.search(data, position)
        if found is None:
            return None
        marker, position = found[0][1], found.end()
        if marker in _JPEG_SIZES:
            height, width = _unpacked(">HH", data, position + 3)
            return width, height
        if marker == 0xDA:
            return None
        if marker not in _JPEG_ALONE:
            position += int(struct.unpack_from(">H", data, position)[0])
    return None


def _png_size(data: bytes) -> tuple[int, int] | None:
    """Walk through all chunks: a decoder makes room for what a chunk announces before it reads it.

    A file that breaks off is refused here as decoders refuse it.
    """
    width, height = _unpacked(">II", data, 16)
    position = 8
    for _ in range(_PNG_MOST_CHUNKS):
        length, kind = struct.unpack_from(">I4s", data, position)
        if position + _PNG_AROUND + length > len(data):
            return None
        if kind == b"IEND":
            return width, height
        if kind == b"fcTL":  # a frame of an animation, which lies within the picture
            frame_width, frame_height = _unpacked(">II", data, position + 12)
            if frame_width > width or frame_height > height:
                return None
        position += _PNG_AROUND + length
    return None


def _bmp_size(data: bytes) -> tuple[int, int]:
    (header_bytes,) = struct.unpack_from("<I", data, 14)
    # The height is negative where the rows go from top to bottom.
    return _unpacked("<HH" if header_bytes == 12 else "<ii", data, 18)


def _webp_size(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
        return (width, height) if len(data) >= 30 else None
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = _unpacked("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None


def _tiff_size(data: bytes, order: str) -> tuple[int, int] | None:
    """Look for width (256) and height (257), of the picture and of a tile, in the first directory.

    A tag that repeats counts with its largest value, since decoders differ in which one they take.
    """
    (directory,) = struct.unpack_from(order + "I", data, 4)
    (n_entries,) = struct.unpack_from(order + "H", data, directory)
    sizes: dict[int, int] = {}
    for entry in range(n_entries):
        at = directory + 2 + 12 * entry
        tag, kind = struct.unpack_from(order + "HH", data, at)
        if tag in _TIFF_SIZES and kind in (3, 4):
            (size,) = struct.unpack_from(order + ("H" if kind == 3 else "I"), data, at + 8)
            sizes[tag] = max(size, sizes.get(tag, 0))
    if sizes.get(322, 0) * sizes.get(323, 0) > _TIFF_LARGEST_TILE:
        return None
    return (sizes[256], sizes[257]) if 256 in sizes and 257 in sizes else None
