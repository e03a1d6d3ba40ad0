"""Where frames come from: cameras, files, folders, the network and the built-in demo.

Importing this package, or `app.capture.source`, loads no OpenCV; opening a source does.
"""
