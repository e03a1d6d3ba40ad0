"""Frame sources: cameras, files, folders and the network.

Importing `app.capture.source` loads no OpenCV; opening a source does.
"""
