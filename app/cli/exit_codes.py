"""What each exit code of ``lmkl-pad`` means, in one place for code, help and docs/commands.md."""

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
    BAD_MODEL = 7
    BAD_INPUT = 8
    NO_FRAMES = 9
    UNHEALTHY = 10
    NO_DATABASE = 11
    NO_PASSPHRASE = 12
    INTERRUPTED = 130
    PIPE_CLOSED = 141
    TERMINATED = 143


MEANINGS = {
    ExitCode.OK: "the command did what was asked",
    ExitCode.FAILED: "it failed; one sentence on standard error says why",
    ExitCode.USAGE: "unknown command, option or value",
    ExitCode.UNCERTIFIED: "a model was fitted, but its optimum is not certified",
    ExitCode.UNWRITABLE: "the output could not be written",
    ExitCode.MISSING_WEIGHTS: "weights are missing or could not be fetched",
    ExitCode.BAD_WEIGHTS: "a weights file is damaged or of no use: its checksum is wrong",
    ExitCode.BAD_MODEL: "a model file is missing, damaged, or made with other views",
    ExitCode.BAD_INPUT: "an input is missing or cannot be read",
    ExitCode.NO_FRAMES: "too few frames with a usable face",
    ExitCode.UNHEALTHY: "the doctor found something that is needed and not in order",
    ExitCode.NO_DATABASE: "a database is not there, or not in the layout that is expected",
    ExitCode.NO_PASSPHRASE: "a model's passphrase is missing, wrong, or too short for a new model",
    ExitCode.INTERRUPTED: "stopped with Ctrl-C; no file is left half-written",
    ExitCode.PIPE_CLOSED: "whoever read standard output left early, as head does",
    ExitCode.TERMINATED: "stopped with SIGTERM or SIGHUP; no file is left half-written",
}

# The blank lines keep every code on its own line in the help.
HELP = "Exit codes:\n\n" + "\n\n".join(f"{code:d}  {text}." for code, text in MEANINGS.items())
