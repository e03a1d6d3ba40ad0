"""All databases, by their names on the command line."""

from collections.abc import Mapping
from types import MappingProxyType

from app.evaluation.protocols import (
    casia_fasd,
    demo,
    idiap,
    msu_mfsd,
    nuaa,
    objects,
    oulu_npu,
    plain,
)
from app.evaluation.protocols.splits import Database

DATABASES: Mapping[str, Database] = MappingProxyType(
    {
        database.name: database
        for database in (
            idiap.REPLAY_MOBILE,
            oulu_npu.DATABASE,
            msu_mfsd.DATABASE,
            idiap.REPLAY_ATTACK,
            objects.CALTECH_256,
            objects.ABNORMAL_OBJECTS,
            nuaa.DATABASE,
            casia_fasd.DATABASE,
            plain.DATABASE,
            demo.DATABASE,
        )
    }
)
"""Those of the paper's tables first, in its order."""
