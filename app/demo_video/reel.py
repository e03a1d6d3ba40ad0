"""Chapters recorded ahead of the playback, on a thread of their own, and kept compressed.

Recording a frame takes longer than showing it, but a chapter shows every recorded frame more than
once, so the recorder stays ahead; once through the script it ends and playing costs only the
decoding of a picture.
"""

import threading

from app.demo_video.script import Chapter


class Reel:
    """The recorded pictures of a script.

    Parameters
    ----------
    chapters : tuple of Chapter
        Recorded in this order.
    """

    def __init__(self, chapters: tuple[Chapter, ...]) -> None:
        self._chapters = chapters
        self._pictures: list[list[bytes]] = [[] for _ in chapters]
        self._changed = threading.Condition()
        self._stopped = True
        self._error: Exception | None = None
        self._thread: threading.Thread | None = None

    @property
    def progress(self) -> float:
        """Share of the script that is recorded, 0 to 1."""
        wanted = sum(chapter.take.n_frames for chapter in self._chapters)
        return sum(map(len, self._pictures)) / wanted

    def start(self) -> None:
        """Begin to record, or go on where `stop` broke off."""
        self.stop()
        if self._thread is not None:
            self._thread.join()
        with self._changed:
            self._stopped, self._error = False, None
        # Not a daemon: a thread that is cut off within OpenCV takes the process down with it.
        self._thread = threading.Thread(target=self._record, name="demo recorder")
        self._thread.start()

    def stop(self) -> None:
        """Stop recording and wake whoever waits for a picture; does not wait for the thread.

        The recorder notices at its next picture, which may be two seconds away.
        """
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def picture(self, chapter: int, number: int) -> bytes | None:
        """Return a picture, as soon as it is recorded; None when the reel is stopped.

        An error of the recorder is raised here, on the reader's thread.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._stopped or self._error or len(self._pictures[chapter]) > number
            )
            if self._stopped:
                return None
            if len(self._pictures[chapter]) > number:
                return self._pictures[chapter][number]
            assert self._error is not None
            raise self._error

    def _record(self) -> None:
        try:
            for chapter, pictures in zip(self._chapters, self._pictures, strict=True):
                if len(pictures) == chapter.take.n_frames:
                    continue
                # A chapter broken off starts anew: a take is one uninterrupted recording.
                with self._changed:
                    pictures.clear()
                for picture in chapter.record():
                    with self._changed:
                        if self._stopped or not threading.main_thread().is_alive():
                            return
                        pictures.append(picture)
                        self._changed.notify_all()
        except Exception as error:
            with self._changed:
                self._error = error
                self._changed.notify_all()
