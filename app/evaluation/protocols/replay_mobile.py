"""Replay-Mobile (Idiap Research Institute and Gradiant).

::

    database/train/real/client001_session02_authenticate_mobile_adverse.mov
    database/train/attack/attack_client001_session01_print_fixed_mobile_photo_lighton.mov
    database/enroll/train/client001_session01_enroll_tablet_lightoff.mov
    database/protocols/alldevices/real-alldevices-train.txt, ...

The layout, the lists and what the names tell are those of Idiap's own readers (bob.db.replaymobile
and bob.pad.face). 40 clients in three groups, recorded by a phone (``mobile``) and a tablet;
attacks with prints, fixed or held in the hand, and with photos and videos on a matte screen. For
client009 of the test there are no bona fide recordings but those of the enrolment.

Idiap's reader mirrors some of the videos. Here a video is shown as it is stored, with the rotation
that its container asks for; mirrored faces are faces.
"""

import re

from app.evaluation.protocols.idiap import Family, VideoName, genuine
from app.evaluation.protocols.splits import Database
from app.types import BONA_FIDE

TITLE = "Replay-Mobile"
PROTOCOLS = ("grandtest", "print", "mattescreen")

_CLIENTS = {"train": 12, "development": 16, "test": 12}
_GENUINE = {"train": 120, "development": 160, "test": 110}

PUBLISHED = {
    (protocol, split, kind): count
    for protocol, each in zip(PROTOCOLS, (16, 8, 8), strict=True)
    for split, n_clients in _CLIENTS.items()
    for kind, count in ((BONA_FIDE, _GENUINE[split]), ("attack", n_clients * each))
} | {(protocol, "enrolment", BONA_FIDE): 160 for protocol in PROTOCOLS}


def _parsed(match: re.Match[str]) -> VideoName:
    parts = match.groupdict()
    if "instrument" not in parts:
        return genuine(match, parts["camera"], parts["light"])
    instrument = parts["instrument"]
    species = "print" if instrument == "print" else f"matte screen {parts['kind']}"
    condition = f"{parts['camera']}, {parts['light']}"
    return VideoName(parts["client"], species, condition, ("grandtest", instrument))


FAMILY = Family(
    title=TITLE,
    inner=("database",),
    attack_folders=("attack",),
    genuine=re.compile(
        r"(?P<client>client\d{3})_session\d+_authenticate_(?P<camera>mobile|tablet)_"
        r"(?P<light>controlled|adverse|direct|lateral|diffuse)"
    ),
    enrolment=re.compile(
        r"(?P<client>client\d{3})_session\d+_enroll_(?P<camera>mobile|tablet)_"
        r"(?P<light>lighton|lightoff)"
    ),
    attack=re.compile(
        r"attack_(?P<client>client\d{3})_session\d+_(?P<instrument>print|mattescreen)_"
        r"(fixed|hand)_(?P<camera>mobile|tablet)_(?P<kind>photo|video)_(?P<light>lighton|lightoff)"
    ),
    parsed=_parsed,
    genuine_list="alldevices/real-alldevices-{group}.txt",
    enrolment_list="alldevices/enroll-alldevices-{group}.txt",
    attack_lists={
        "grandtest": "alldevices/attack-grandtest-allsupports-alldevices-{group}.txt",
        "print": "alldevices/attack-print-allsupports-alldevices-{group}.txt",
        "mattescreen": "alldevices/attack-mattescreen-fixed-alldevices-alltype-{group}.txt",
    },
)


DATABASE = Database(
    "replay-mobile",
    TITLE,
    FAMILY.gather,
    protocols=PROTOCOLS,
    preset="paper-pad",
    table="RM",
    published=PUBLISHED,
    reference="Costa-Pazo, Bhattacharjee, Vazquez-Fernandez and Marcel: The REPLAY-MOBILE face "
    "presentation-attack database, BIOSIG 2016",
)
