"""Takes as the camera records them: compressed pictures, or frames."""

from collections.abc import Iterator

from app.demo.renderer.camera import WEBCAM, unpacked
from app.demo.renderer.instruments import INSTRUMENTS, Instrument, monitor
from app.demo.renderer.scene import Scene
from app.demo.renderer.setting import genuine_scene, room_of, setting
from app.demo.script import NOBODY, RATE, SIZE, Take
from app.types import Frame

# Studies use INSTRUMENTS; the demo presents two more.
_LAYERS: dict[str, Instrument] = {**INSTRUMENTS, "monitor": monitor, NOBODY: lambda _: []}


def record(take: Take, every: int = 1) -> Iterator[bytes]:
    """Yield every n-th picture of a take as compressed by the camera."""
    seeds = (take.seed, take.label)
    place = setting(take.person, take.condition, SIZE, *seeds, session=take.session)
    room = room_of(place, take.condition)
    if take.instrument is None:
        scene = genuine_scene(place, room)
    else:
        scene = Scene(room, _LAYERS[take.instrument](place))
    camera = place.camera(WEBCAM)
    for number in range(0, take.n_frames, every):
        yield camera.shoot(scene.render(number / RATE), number / RATE)


def frames(take: Take, every: int = 1) -> Iterator[Frame]:
    """Yield every n-th frame of a take, with its number and its time at `RATE`."""
    for place, packed in enumerate(record(take, every)):
        number = place * every
        yield Frame(unpacked(packed), number, number / RATE)
