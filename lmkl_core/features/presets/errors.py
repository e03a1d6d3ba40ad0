"""What is wrong with a preset, and where."""

from lmkl_core.errors import InvalidInputError

KeyPath = tuple[str | int, ...]
"""Keys and positions that lead to a value, as in ``("branches", 0, "layers", 2)``."""


class PresetError(InvalidInputError):
    """A preset that cannot be used: one sentence with the file, the line and the way out.

    Attributes
    ----------
    problem : str
        The sentence without file and line.
    path : tuple
        Keys and positions that lead to what is wrong; empty for the whole.
    line : int or None
        Line of the file, from 1, where there is a file.
    """

    def __init__(
        self, problem: str, path: KeyPath = (), *, file: str = "", line: int | None = None
    ):
        self.problem, self.path, self.line = problem, path, line
        if file and line is not None:
            where = f"{file}, line {line}: "
        elif file:
            where = f"{file}: "
        else:
            where = f"{path_words(path)}: " if path else ""
        super().__init__(where + problem)


def path_words(path: KeyPath) -> str:
    """Write a path as a person would: ``branches[1].layers[3]``, counting from 1."""
    words = ""
    for step in path:
        words += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if words else step
    return words
