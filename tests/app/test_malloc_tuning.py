"""Heaps of the C library, counted in another process because the limit is permanent."""

import platform
import subprocess
import sys

import pytest

CHILD = """
import ctypes, re, sys, threading
from app.malloc_tuning import keep_few_heaps

assert keep_few_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.fopen.restype = ctypes.c_void_p
barrier = threading.Barrier(7)

def allocate():
    libc.malloc(1000)
    barrier.wait(60)
    barrier.wait(60)

threads = [threading.Thread(target=allocate) for _ in range(6)]
for thread in threads:
    thread.start()
barrier.wait(60)
stream = ctypes.c_void_p(libc.fopen(b"/dev/stdout", b"w"))
libc.malloc_info(0, stream)
libc.fclose(stream)
barrier.wait(60)
"""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only the GNU C library has a heap for each thread"
)
def test_that_threads_share_heaps():
    command = [sys.executable, "-c", CHILD]
    child = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 1 <= child.stdout.count("<heap nr=") <= 2
