"""Takes that no saved model holds, kept on disk until one does: a killed program loses none.

While a person records, the numbers of every kept frame (views and circumstances, never a picture)
are written into ``unsaved`` in their own folder, readable by them alone. What is there is always a
whole earlier state of the takes: new frames go into new files, and only then the index that lists
them is replaced. What can be lost is what is recorded during one write: a frame, unless the disk is
slow.

It is removed as soon as it is needed no more: when an exported model holds the takes, when they are
deleted, when the window is closed, with *Delete all my data*, and when the setting is switched
off. Takes of the demo are not kept, because a click records them again.

Every run of the program has a folder and a lock of its own. The next start finds the folders whose
lock is free and asks whether to bring the takes back; they come back without their pictures, and
with one click the model is fitted again. Whatever such a folder holds is treated as anybody's.

- `runs`: folders and locks.
- `chunks`: samples as bytes, and back.
- `index`: what a folder holds, and in which order.
- `journal`: keeps the present takes.
- `finding`: what earlier runs have left.
- `wording`: what the person is told of it.
"""
