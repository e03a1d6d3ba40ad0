"""Work on a disk that has room for so many bytes a file and no more.

The limit is the kernel's (`RLIMIT_FSIZE`), so the errors are real ones; Python ignores the signal
that comes with it. Where there are such limits.
"""

from app.qt.workers.worker import sentence_of


def limited(job, folder, size):
    """Do a job where a file may have so many bytes; return what a person is told."""
    import resource  # POSIX's

    act = JOBS[job](folder)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        act()
    except Exception as error:
        return sentence_of(error, "The work failed")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    return ""


def settings_job(_folder):
    """Save settings."""
    from app import settings

    return lambda: settings.save(settings.Settings(theme="dark"))


def report_job(folder):
    """Write a report whose page is larger than its other files."""
    from app.reports import build, write
    from tests.app.guided_test_material import session
    from tests.app.reports.report_material import context

    report = build(session(2, 2), context())
    return lambda: write(report, folder / "report.html")


def model_job(folder):
    """Export a model."""
    from app.models.files import load, save

    model = load(folder / "model.safetensors")
    return lambda: save(model, folder / "face.safetensors")


def takes_job(_folder):
    """Keep more takes than there is room for."""
    from app.session.recovery import Journal
    from tests.app.takes_material import FEATURES, takes

    journal = Journal()
    journal.keep(takes(3, "window"), FEATURES)

    def act():
        try:
            journal.keep(takes(60, "window", "lamp", columns=200), FEATURES)
        finally:
            journal.close()

    return act


def cache_job(folder):
    """Keep an evaluated recording's views."""
    import numpy as np

    from app.evaluation.cache import Cache

    cache = Cache("features", folder)
    return lambda: cache.store("0" * 64, {}, {"views": np.zeros((100, 100))})


def text_job(folder):
    """Write rows of scores."""
    from app.cli.outputs import write_bytes

    return lambda: write_bytes(folder / "scores.csv", b"1,0.5\n" * 10_000)


JOBS = {
    "settings": settings_job,
    "report": report_job,
    "model": model_job,
    "takes": takes_job,
    "cache": cache_job,
    "text": text_job,
}
