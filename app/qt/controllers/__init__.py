"""Controls: what the person wants, carried out on the session and the workers.

Views say what is wanted through signals; a control changes the session or gives work to a worker,
and the session's signals carry the outcome back to the views. All of it on the main thread.
"""
