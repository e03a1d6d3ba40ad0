"""Charts that are also available as text and as tables.

Every chart is a `Chart`: it is drawn only while visible, and can be copied as an image or as CSV.
Importing one imports pyqtgraph, which is slow, so nothing that runs before the first frame may.
"""
