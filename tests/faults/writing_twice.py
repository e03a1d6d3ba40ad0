"""One of two programs that write the same files at once.

::

    python -m tests.faults.writing_twice NAME FOLDER

Begins when the file ``go`` exists.
"""

import dataclasses
import sys
import time
from pathlib import Path

TURNS = 15


def main(name, folder):
    """Save settings, a model and takes several times."""
    from app import settings, storage
    from app.models.files import load, save
    from app.session.recovery import Journal
    from lmkl_core.errors import ModelFileError
    from tests.app.unsaved_takes import FEATURES, takes

    model, journal = load(folder / "model.safetensors"), Journal()
    model = dataclasses.replace(model, is_simulated=name == "second")
    samples = takes(TURNS, name, first=1000 * len(name))
    (folder / f"{name} is ready").touch()
    while not (folder / "go").exists():
        time.sleep(0.005)
    for turn in range(1, TURNS + 1):
        while turn == TURNS and (folder / "delete").exists():
            time.sleep(0.005)  # the last turn comes after the deletion
        settings.save(settings.Settings(recent=(f"{name} {turn}",) * 8))
        journal.keep(samples[:turn], FEATURES)
        if turn % 5 == 0:
            try:
                save(model, folder / "face.safetensors")
            except ModelFileError as error:
                # The other program wrote the file before it was read back.
                print(error)
        if name == "second" and turn == 12 and (folder / "delete").exists():
            print(*storage.delete_all().problems)
            (folder / "delete").unlink()
    journal.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
