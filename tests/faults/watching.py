"""Watch processes for any use of the network, in Python and in the kernel."""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Logs and refuses any use of the network in every interpreter with this on its path, including the
# child processes that export graphs and try engines.
NO_NETWORK = """
import os, socket, sys

def refuse(event, arguments):
    if not event.startswith("socket."):
        return
    if event == "socket.__new__" and arguments[1] in (socket.AF_UNIX, -1):
        return  # to another process on this machine; -1: wraps an existing socket
    if event in ("socket.connect", "socket.bind") and arguments[0].family == socket.AF_UNIX:
        return
    with open(os.environ["NETWORK_LOG"], "a") as file:
        file.write(f"{event} {arguments!r}\\n")
    raise RuntimeError(f"network used: {event} {arguments!r}")

sys.addaudithook(refuse)
"""

_LOCAL = re.compile(r"AF_(UNIX|LOCAL|NETLINK)\b")
"""Families of sockets that do not leave the machine."""


class Watch:
    """Watches a process and its children, and writes its logs into a folder."""

    def __init__(self, folder):
        self._folder = folder
        self._calls = folder / "calls.txt"
        (folder / "sitecustomize.py").write_text(NO_NETWORK)
        self._strace = self._find_strace()

    def _find_strace(self):
        """Return the strace command, or nothing if it is missing or not permitted."""
        which = ["-f", "-qq", "-e", "trace=socket,connect,sendto,sendmsg", "-o", str(self._calls)]
        if shutil.which("strace") is not None:
            # Filtering in the kernel keeps other calls fast.
            for more in (["--seccomp-bpf"], []):
                command = ["strace", *which, *more]
                if not subprocess.run(
                    [*command, "true"], capture_output=True, check=False
                ).returncode:
                    return command
        return []

    @property
    def sees_all(self):
        """Whether calls of C libraries are seen."""
        return bool(self._strace)

    def run(self, command, *, cwd=ROOT, **environment):
        """Run a command to its end, with only these environment variables.

        Some libraries do not use the network if the environment shows that they are tested.
        """
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        paths = {"PYTHONPATH": os.pathsep.join([str(self._folder), str(ROOT)])}
        log = {"NETWORK_LOG": str(self._folder / "network.txt")}
        return subprocess.run(
            [*self._strace, *map(str, command)],
            capture_output=True,
            text=True,
            check=False,
            cwd=cwd,
            env=kept | paths | log | {name: str(value) for name, value in environment.items()},
        )

    def in_python(self):
        """Return the uses of the network in Python."""
        log = self._folder / "network.txt"
        return log.read_text() if log.exists() else ""

    def in_the_kernel(self):
        """Return the calls that opened a socket to another machine."""
        lines = self._calls.read_text(encoding="utf-8", errors="replace").splitlines()
        opened = [line for line in lines if re.search(r"\bsocket\(", line)]
        return [line for line in opened if not _LOCAL.search(line)]
