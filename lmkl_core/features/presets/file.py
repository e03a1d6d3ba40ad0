"""Presets as files: those that are shipped, by name, and a person's own, by path."""

import difflib
import re
import stat
import tomllib
from importlib import resources
from pathlib import Path

from lmkl_core.features.presets.errors import PresetError
from lmkl_core.features.presets.lines import line_of, locate
from lmkl_core.features.presets.preset import Preset
from lmkl_core.features.presets.schema import preset_from_dict

DEFAULT_PRESET = "texture"
MAX_BYTES = 64 * 1024
MAX_LINE = 4000
"""Characters a line may have. The parser takes seconds and gigabytes for a dotted key that fills a
whole file, and gives up on numbers of 4300 digits without naming their line."""

_SUFFIX = ".toml"
_PARSER_LINE = re.compile(r" \(at line (\d+), column \d+\)$")
_PARSER_END = " (at end of document)"


def preset_names() -> tuple[str, ...]:
    """Names of the shipped presets, the default first."""
    names = sorted(
        item.name.removesuffix(_SUFFIX)
        for item in resources.files(__package__).iterdir()
        if item.name.endswith(_SUFFIX)
    )
    return tuple(sorted(names, key=lambda name: name != DEFAULT_PRESET))


def load_preset(name_or_path: str | Path) -> Preset:
    """Read a shipped preset by its name, or a person's own by its path.

    Parameters
    ----------
    name_or_path : str or Path
        A text without a folder and without ``.toml`` is a shipped preset's name; anything else
        is the path of a file.

    Raises
    ------
    PresetError
        If it cannot be used; the sentence names the file, the line and what is allowed.
    """
    if isinstance(name_or_path, str) and _is_name(name_or_path):
        return _shipped(name_or_path)
    path = Path(name_or_path)
    try:
        if path.is_dir():
            raise PresetError("this is a folder; name a preset file", file=str(path))
        # Opening a named pipe would wait for its writer.
        if not stat.S_ISREG(path.stat().st_mode):
            raise PresetError("this is not a file of its own; name a preset file", file=str(path))
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PresetError(f"cannot be read: {error.strerror}", file=str(path)) from error
    except ValueError as error:  # a NUL in the path
        raise PresetError("this is not the path of a file", file=repr(name_or_path)) from error
    return read_preset(content, str(path))


def read_preset(content: bytes, file: str) -> Preset:
    """Read a preset from the bytes of a file.

    Parameters
    ----------
    content : bytes
        TOML in UTF-8.
    file : str
        What messages call it.

    Raises
    ------
    PresetError
        If it cannot be used; the sentence names the file, the line and what is allowed.
    """
    if len(content) > MAX_BYTES:
        raise PresetError(f"is longer than {MAX_BYTES} bytes, which no preset is", file=file)
    try:
        text = content.decode("utf-8-sig")  # some editors begin a file with a mark of its encoding
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PresetError("this is not text in UTF-8", file=file, line=line) from error
    for line, characters in enumerate(text.split("\n"), start=1):
        if len(characters) > MAX_LINE:
            raise PresetError(f"is longer than {MAX_LINE} characters", file=file, line=line)
    try:
        tables = tomllib.loads(text)
        lines = locate(text)
    except RecursionError as error:
        line = _most_nested_line(text)
        raise PresetError("lists or tables are nested too deeply", file=file, line=line) from error
    except ValueError as error:
        problem, line = _syntax(str(error), text)
        raise PresetError(f"this is not TOML: {problem}", file=file, line=line) from error
    try:
        return preset_from_dict(tables)
    except PresetError as error:
        line = line_of(lines, error.path)
        raise PresetError(error.problem, error.path, file=file, line=line) from None


def _is_name(text: str) -> bool:
    return not text.endswith(_SUFFIX) and not any(mark in text for mark in "/\\:\0")


def _shipped(name: str) -> Preset:
    names = preset_names()
    if name not in names:
        near = difflib.get_close_matches(name.lower(), names, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise PresetError(
            f"There is no preset {name!r}: {hint}There are {', '.join(names)}, "
            f"or give the path of a file that ends in {_SUFFIX}."
        )
    file = resources.files(__package__) / f"{name}{_SUFFIX}"
    return read_preset(file.read_bytes(), f"{name}{_SUFFIX}")


def _most_nested_line(text: str) -> int:
    brackets = [line.count("[") + line.count("{") for line in text.split("\n")]
    return brackets.index(max(brackets)) + 1


def _syntax(message: str, text: str) -> tuple[str, int]:
    """Split the parser's message into what is wrong and on which line."""
    if match := _PARSER_LINE.search(message):
        return _lower(message[: match.start()]), int(match[1])
    return _lower(message.removesuffix(_PARSER_END)), text.rstrip("\r\n").count("\n") + 1


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
