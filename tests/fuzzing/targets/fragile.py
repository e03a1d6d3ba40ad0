"""A loader that fails in all the ways there are, to see that the command notices."""

import os
import signal
import time

from tests.fuzzing.target import LOADED, Target

KINDS = (b"load", b"refuse", b"raise", b"crash", b"hang", b"greed")
GREED = 4 << 30


class FragileTarget(Target):
    """Does what its input says."""

    name = "fragile"
    inputs = len(KINDS)

    @classmethod
    def good_files(cls) -> dict[str, bytes]:
        return {}

    def mutant(self, seed: int, number: int) -> bytes:
        return KINDS[number % len(KINDS)]

    def check(self, data: bytes) -> str:
        if data == b"raise":
            raise KeyError("what no loader may raise")
        if data == b"greed":
            return f"{len(bytearray(GREED))} bytes were there to be had"
        if data == b"crash":
            os.kill(os.getpid(), signal.SIGKILL)
        while data == b"hang":
            time.sleep(1)
        return LOADED if data == b"load" else "it is refused"
