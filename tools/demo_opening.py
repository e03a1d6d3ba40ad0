"""Record the opening of the demo, which ships with the package.

Run ``python -m tools.demo_opening`` after a change to the renderer or to the first chapter.
"""

from app.demo.renderer.takes import record
from app.demo.script import script
from app.demo.source import OPENING, joined


def main() -> None:
    pictures = list(record(script().loop[0].take))
    OPENING.write_bytes(joined(pictures))
    print(f"{OPENING}: {len(pictures)} pictures, {OPENING.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
