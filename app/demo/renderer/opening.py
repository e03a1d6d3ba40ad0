"""Record the opening of the demo into the file that is shipped with the package.

``python -m app.demo.renderer.opening`` after a change to the renderer or to the first chapter.
"""

from app.demo.opening import FILE, written
from app.demo.renderer.script import record, script


def main() -> None:
    """Write the pictures of the first chapter."""
    first = script().loop[0]
    pictures = list(record(first))
    FILE.write_bytes(written(pictures))
    print(f"{FILE}: {len(pictures)} pictures, {FILE.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
