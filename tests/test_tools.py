"""The tools of the developers start; what they make is looked at by people."""

import subprocess
import sys


def test_that_the_screenshots_say_how_they_are_taken():
    command = [sys.executable, "-m", "tools.screenshots", "--help"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert "--readme" in run.stdout
