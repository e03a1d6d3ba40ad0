"""The exit codes of ``lmkl-pad``, which code, help and docs/commands.md share."""

from enum import IntEnum
from typing import Self


class ExitCode(IntEnum):
    """Exit codes a script may rely on, each with its meaning."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> Self:
        member = int.__new__(cls, code)
        member._value_, member.meaning = code, meaning
        return member

    OK = 0, "the command did what was asked"
    FAILED = 1, "it failed; one sentence on standard error says why"
    USAGE = 2, "unknown command, option or value"
    UNCERTIFIED = 3, "a model was fitted, but its optimum is not certified"
    UNWRITABLE = 4, "the output could not be written"
    MISSING_WEIGHTS = 5, "weights are missing or could not be fetched"
    BAD_WEIGHTS = 6, "a weights file is damaged or of no use: its checksum is wrong"
    BAD_MODEL = 7, "a model file is missing, damaged, or made with other views"
    BAD_INPUT = 8, "an input is missing or cannot be read"
    NO_FRAMES = 9, "too few frames with a usable face"
    UNHEALTHY = 10, "the doctor found something that is needed and not in order"
    NO_DATABASE = 11, "a database is not there, or not in the layout that is expected"
    NO_PASSPHRASE = 12, "a model's passphrase is missing, wrong, or too short for a new model"
    INTERRUPTED = 130, "stopped with Ctrl-C; no file is left half-written"
    PIPE_CLOSED = 141, "whoever read standard output left early, as head does"
    TERMINATED = 143, "stopped with SIGTERM or SIGHUP; no file is left half-written"


# The blank lines keep every code on its own line in the help.
HELP = "Exit codes:\n\n" + "\n\n".join(f"{code:d}  {code.meaning}." for code in ExitCode)
