"""Charts: pictures that also exist as words and tables.

Every chart is a `Chart`: drawn only while it can be seen, copied as an image or as CSV. Importing
one imports pyqtgraph, which is slow: nothing that runs before the first frame may do so.
"""
