"""Replay-Attack (Idiap Research Institute).

::

    train/real/client001_session01_webcam_authenticate_adverse_1.mov
    train/attack/fixed/attack_print_client001_session01_highdef_photo_adverse.mov
    train/attack/hand/...                       (devel and test alike)
    enroll/train/client001_session01_webcam_enroll_adverse.mov
    protocols/real-train.txt, attack-grandtest-allsupports-train.txt, recognition-train.txt

The layout, the lists and what the names tell are those of Idiap's own reader (bob.db.replay) and
of public loaders that hold against the database. 50 clients in three groups; attacks with a print,
a phone (``mobile``) and a tablet (``highdef``), the latter two with photos and videos, held in the
hand or fixed. The protocols choose among attacks; ``grandtest`` has all.
"""

import re

from app.evaluation.protocols.idiap import Family, VideoName, genuine
from app.evaluation.protocols.splits import Database
from app.types import BONA_FIDE

TITLE = "Replay-Attack"
PROTOCOLS = ("grandtest", "print", "mobile", "highdef", "digitalphoto", "photo", "video")

_DEVICES = {"print": "print", "mobile": "phone", "highdef": "tablet"}
_ATTACKS_PER_CLIENT = dict(zip(PROTOCOLS, (20, 4, 8, 8, 8, 12, 8), strict=True))
_CLIENTS = {"train": 15, "development": 15, "test": 20}

PUBLISHED = {
    (protocol, split, kind): n_clients * each
    for protocol, n_attacks in _ATTACKS_PER_CLIENT.items()
    for split, n_clients in _CLIENTS.items()
    for kind, each in ((BONA_FIDE, 4), ("attack", n_attacks))
} | {(protocol, "enrolment", BONA_FIDE): 100 for protocol in PROTOCOLS}


def _parsed(match: re.Match[str]) -> VideoName:
    parts = match.groupdict()
    if "device" not in parts:
        return genuine(match, parts["light"])
    device, kind = parts["device"], parts["kind"]
    protocols = ["grandtest", device, kind]
    if device != "print" and kind == "photo":
        protocols.append("digitalphoto")
    species = "print" if device == "print" else f"{_DEVICES[device]} {kind}"
    return VideoName(parts["client"], species, parts["light"], tuple(protocols))


FAMILY = Family(
    title=TITLE,
    inner=(),
    attack_folders=("attack/fixed", "attack/hand"),
    genuine=re.compile(
        r"(?P<client>client\d{3})_session\d+_webcam_authenticate_"
        r"(?P<light>controlled|adverse)_(?P<take>\d+)"
    ),
    enrolment=re.compile(
        r"(?P<client>client\d{3})_session\d+_webcam_enroll_(?P<light>controlled|adverse)(_\d+)?"
    ),
    attack=re.compile(
        r"attack_(?P<device>print|mobile|highdef)_(?P<client>client\d{3})_session\d+_"
        r"(highdef|mobile)_(?P<kind>photo|video)_(?P<light>controlled|adverse)"
    ),
    parsed=_parsed,
    genuine_list="real-{group}.txt",
    enrolment_list="recognition-{group}.txt",
    attack_lists={name: f"attack-{name}-allsupports-{{group}}.txt" for name in PROTOCOLS},
)


DATABASE = Database(
    "replay-attack",
    TITLE,
    FAMILY.gather,
    protocols=PROTOCOLS,
    preset="paper-pad",
    table="RA",
    published=PUBLISHED,
    reference="Chingovska, Anjos and Marcel: On the effectiveness of local binary patterns in "
    "face anti-spoofing, BIOSIG 2012",
)
