"""Controllers carry out what the person wants, on the session and the workers.

A page calls its controller; the controller changes the session or gives work to a worker, and the
signals of `AppController` carry the outcome back to the pages. All of it on the main thread.
"""
