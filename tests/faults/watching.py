"""Processes that are watched for any use of the network, in Python and as the kernel sees it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Every interpreter that starts with this on its path tells of the network and refuses it, also the
# children in which graphs are exported and engines tried.
NO_NETWORK = """
import os, socket, sys

def refuse(event, arguments):
    if not event.startswith("socket."):
        return
    if event == "socket.__new__" and arguments[1] in (socket.AF_UNIX, -1):
        return  # to another process on this machine; -1 asks a socket that is there what it is
    if event in ("socket.connect", "socket.bind") and arguments[0].family == socket.AF_UNIX:
        return
    with open(os.environ["NETWORK_LOG"], "a") as file:
        file.write(f"{event} {arguments!r}\\n")
    raise RuntimeError(f"network used: {event} {arguments!r}")

sys.addaudithook(refuse)
"""

_LOCAL = re.compile(r"AF_(UNIX|LOCAL|NETLINK)\b")
"""What a program may open without a word leaving the machine."""


class Watch:
    """What watches a process and its children.

    Parameters
    ----------
    folder : Path
        Where it writes down what it sees.
    """

    def __init__(self, folder):
        self._folder = folder
        self._calls = folder / "calls.txt"
        (folder / "sitecustomize.py").write_text(NO_NETWORK)
        self._strace = self._find_strace()

    def _find_strace(self):
        """Return the command by which the kernel tells, if it is here and allowed to."""
        which = ["-f", "-qq", "-e", "trace=socket,connect,sendto,sendmsg", "-o", str(self._calls)]
        if shutil.which("strace") is not None:
            # With a filter in the kernel other calls are as fast as ever.
            for more in (["--seccomp-bpf"], []):
                command = ["strace", *which, *more]
                if not subprocess.run(
                    [*command, "true"], capture_output=True, check=False
                ).returncode:
                    return command
        return []

    @property
    def sees_all(self):
        """Whether the kernel tells what libraries in C do."""
        return bool(self._strace)

    def run(self, command, *, cwd=ROOT, **environment):
        """Run a command to its end, with nothing else in its environment than this.

        Some libraries keep quiet where they see that they are tested.
        """
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        paths = {"PYTHONPATH": os.pathsep.join([str(self._folder), str(ROOT)])}
        told = {"NETWORK_LOG": str(self._folder / "network.txt")}
        return subprocess.run(
            [*self._strace, *map(str, command)],
            capture_output=True,
            text=True,
            check=False,
            cwd=cwd,
            env=kept | paths | told | {name: str(value) for name, value in environment.items()},
        )

    def in_python(self):
        """Return what Python saw of the network; empty if nothing."""
        log = self._folder / "network.txt"
        return log.read_text() if log.exists() else ""

    def in_the_kernel(self):
        """Return the calls that opened a socket to anything but this machine."""
        lines = self._calls.read_text(encoding="utf-8", errors="replace").splitlines()
        opened = [line for line in lines if re.search(r"\bsocket\(", line)]
        return [line for line in opened if not _LOCAL.search(line)]
