"""``lmkl-pad`` without a command: the window, or where there is no screen, the demo without one."""

import gc
import os
import sys
from collections.abc import Callable


def launch(source: str = "", model: str = "", on_shown: Callable[[], None] | None = None) -> int:
    """Show the window and return the exit code.

    Parameters
    ----------
    source : str
        In the place of the source in the settings.
    model : str
        A model to open.
    on_shown : callable, optional
        Called when the first frame is on the screen.
    """
    from app.display import why_no_screen

    sentence = why_no_screen()
    if sentence:
        return _without_screen(sentence)
    # Loading makes many objects and no garbage to speak of: the collector is turned on again when
    # everything is loaded. And what is not Qt's is loaded before it, because PySide looks
    # into the source of every module that is loaded later: that alone takes NumPy half as long
    # again.
    gc.disable()
    if hasattr(sys, "setdlopenflags"):
        sys.setdlopenflags(os.RTLD_LAZY)  # the libraries have far more symbols than are ever used
    from app import settings, types  # noqa: F401
    from app.capture import capture, opencv  # noqa: F401
    from app.demo import source as demo_source  # noqa: F401

    from app.qt.app import run  # isort: skip

    return run(source, model, on_shown)


def _without_screen(sentence: str) -> int:
    import typer

    from app.cli import demo

    typer.echo(
        f"{sentence} Here is a short demo without a window; lmkl-pad demo runs all of it.", err=True
    )
    try:
        demo.run_and_print(output=demo.DEFAULT_OUTPUT, as_json=False, is_short=True)
    except typer.Exit as stop:
        return int(stop.exit_code)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    return 0
