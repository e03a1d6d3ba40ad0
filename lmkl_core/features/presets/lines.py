"""On which line of a TOML text each key and each list element stands.

``tomllib`` tells the line of what is not TOML, but not the line of a value that means nothing to
us. This reader walks a text that ``tomllib`` has accepted, and notes where things begin; it leans
on that acceptance and checks nothing itself.
"""

import re
import tomllib

from lmkl_core.features.presets.errors import KeyPath

_SPACE = re.compile(r"(?:[ \t]|\r?\n|#[^\n]*)*")
_BLANK = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# Longest first: three quotes before one.
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]*")


def locate(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of every table, key and list element.

    Parameters
    ----------
    text : str
        A text that ``tomllib.loads`` accepts.
    """
    return _Reader(text).read()


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int:
    """Return the line of a path or, where it is missing, of the nearest thing around it."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


class _Reader:
    """A position in the text, and what was seen before it."""

    def __init__(self, text: str):
        self._text = text
        self._at = 0
        self._lines: dict[KeyPath, int] = {}
        self._counts: dict[KeyPath, int] = {}

    def read(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        self._skip(_SPACE)
        while self._at < len(self._text):
            table = self._header() if self._next() == "[" else self._assignment(table)
            self._skip(_SPACE)
        return self._lines

    # ------------------------------------------------- statements

    def _header(self) -> KeyPath:
        """``[a.b]`` or ``[[a.b]]``: return the path of the table that begins."""
        line = self._line()
        is_array = self._text.startswith("[[", self._at)
        self._at += 2 if is_array else 1
        path: KeyPath = ()
        for key in self._keys():
            path = self._inside((*path, key))
        self._at += 2 if is_array else 1
        if is_array:
            path = self._without_element(path)
            self._note(path, line)
            self._counts[path] = self._counts.get(path, 0) + 1
            path = self._inside(path)
        for end in range(1, len(path) + 1):
            self._lines.setdefault(path[:end], line)
        return path

    def _inside(self, path: KeyPath) -> KeyPath:
        """Step into the last element where the path is a list of tables."""
        return (*path, self._counts[path] - 1) if path in self._counts else path

    def _without_element(self, path: KeyPath) -> KeyPath:
        return path[:-1] if path and isinstance(path[-1], int) else path

    def _assignment(self, table: KeyPath) -> KeyPath:
        line = self._line()
        path = table
        for key in self._keys():
            path = (*path, key)
            self._note(path, line)
        self._at += 1  # the equals sign
        self._skip(_BLANK)
        self._value(path)
        return table

    # ------------------------------------------------- values

    def _value(self, path: KeyPath) -> None:
        match self._next():
            case "[":
                self._list(path)
            case "{":
                self._inline_table(path)
            case '"' | "'":
                self._skip(_STRING)
            case _:
                self._skip(_SCALAR)

    def _list(self, path: KeyPath) -> None:
        self._at += 1
        position = 0
        self._skip(_SPACE)
        while self._next() not in ("]", ""):
            self._note((*path, position), self._line())
            self._value((*path, position))
            self._separator()
            position += 1
        self._at += 1

    def _inline_table(self, path: KeyPath) -> None:
        self._at += 1
        self._skip(_SPACE)
        while self._next() not in ("}", ""):
            self._assignment(path)
            self._separator()
        self._at += 1

    def _separator(self) -> None:
        self._skip(_SPACE)
        if self._next() not in ("]", "}"):
            self._at += 1  # the comma; whatever it is, go on, so that this always ends
            self._skip(_SPACE)

    # ------------------------------------------------- small things

    def _keys(self) -> list[str]:
        """Read a dotted key, up to what follows it."""
        keys = []
        while True:
            self._skip(_BLANK)
            start = self._at
            if self._next() in ('"', "'"):
                self._skip(_STRING)
                keys.append(str(tomllib.loads(f"key = {self._text[start : self._at]}")["key"]))
            else:
                self._skip(_BARE_KEY)
                keys.append(self._text[start : self._at])
            self._skip(_BLANK)
            if self._next() != "." or self._at == start:
                return keys
            self._at += 1

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self, pattern: re.Pattern[str]) -> None:
        if match := pattern.match(self._text, self._at):
            self._at = match.end()

    def _line(self) -> int:
        return self._text.count("\n", 0, self._at) + 1

    def _note(self, path: KeyPath, line: int) -> None:
        self._lines.setdefault(path, line)
