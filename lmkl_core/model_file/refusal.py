"""How a file is refused inside this package: what is wrong, and the way out."""

EXPORT_AGAIN = "restore a copy or export the model again"
"""Way out for a file of ours that is damaged or was changed."""

ANOTHER_FILE = "choose a file that this program exported"
"""Way out for a file that never was one of ours."""

LONGEST_SENTENCE = 240
"""Characters of a reason that are shown: a file must not fill the screen."""


class Refused(Exception):
    """A file is refused; `lmkl_core.model_file.files` turns it into `ModelFileError`.

    Parameters
    ----------
    reason : str
        What is wrong, to follow "because".
    way_out : str
        What the person can do.
    """

    def __init__(self, reason: str, way_out: str = EXPORT_AGAIN):
        super().__init__(reason)
        self.reason, self.way_out = shortened(reason, LONGEST_SENTENCE), way_out


def shortened(text: str, limit: int) -> str:
    """Text on one line, of at most ``limit`` characters."""
    line = "".join(letter if letter.isprintable() else "?" for letter in text[: limit + 1])
    return line if len(line) <= limit else line[: limit - 1] + "…"


def shown(value: object) -> str:
    """Show a value of the file in a sentence."""
    return shortened(repr(value), 60)
