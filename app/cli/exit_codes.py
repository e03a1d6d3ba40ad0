"""What each exit code of ``lmkl-pad`` means, in one place for code and help."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes a script may rely on."""

    OK = 0
    FAILED = 1
    USAGE = 2
    UNCERTIFIED = 3
    UNWRITABLE = 4
    MISSING_WEIGHTS = 5
    BAD_WEIGHTS = 6
    INTERRUPTED = 130


MEANINGS = {
    ExitCode.OK: "the command did what was asked",
    ExitCode.FAILED: "it failed; one sentence on standard error says why",
    ExitCode.USAGE: "unknown command, option or value",
    ExitCode.UNCERTIFIED: "a model was fitted, but its optimum is not certified",
    ExitCode.UNWRITABLE: "the output folder could not be written",
    ExitCode.MISSING_WEIGHTS: "weights are missing or could not be fetched",
    ExitCode.BAD_WEIGHTS: "a weights file is damaged or of no use: its checksum is wrong",
    ExitCode.INTERRUPTED: "stopped with Ctrl-C",
}

# The blank lines keep every code on its own line in the help.
HELP = "Exit codes:\n\n" + "\n\n".join(f"{code:d}  {text}." for code, text in MEANINGS.items())
