"""Charts: what the session and the model show, as pictures that also exist as words and tables.

Every chart is a `Chart` of `app.qt.views.charts.base`: fed with domain values, drawn only
while it can be seen, copied as an image or as CSV. Importing a chart imports pyqtgraph, which is
slow; so nothing that runs before the first frame is shown may import one.
"""
