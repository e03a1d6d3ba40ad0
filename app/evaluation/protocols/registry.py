"""All databases, by their names on the command line."""

from collections.abc import Mapping
from types import MappingProxyType

from app.evaluation.protocols import (
    abnormal_objects,
    caltech_256,
    casia_fasd,
    demo,
    msu_mfsd,
    nuaa,
    oulu_npu,
    plain,
    replay_attack,
    replay_mobile,
)
from app.evaluation.protocols.splits import Database

DATABASES: Mapping[str, Database] = MappingProxyType(
    {
        module.DATABASE.name: module.DATABASE
        for module in (
            replay_mobile,
            oulu_npu,
            msu_mfsd,
            replay_attack,
            caltech_256,
            abnormal_objects,
            nuaa,
            casia_fasd,
            plain,
            demo,
        )
    }
)
"""Those of the paper's tables first, in its order."""
