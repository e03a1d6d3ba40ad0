"""All databases, by their names on the command line."""

from app.evaluation.protocols import demo, idiap, objects, oulu_npu, plain, train_test

DATABASES = {
    database.name: database
    for database in (
        idiap.REPLAY_MOBILE,
        oulu_npu.DATABASE,
        train_test.MSU_MFSD,
        idiap.REPLAY_ATTACK,
        objects.CALTECH_256,
        objects.ABNORMAL_OBJECTS,
        train_test.NUAA,
        train_test.CASIA_FASD,
        plain.DATABASE,
        demo.DATABASE,
    )
}
"""Databases of the paper's tables come first, in its order."""
