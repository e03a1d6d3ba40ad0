"""What a person sees: widgets that show values and tell what was asked of them.

Of ours they import only `app.types`, `app.settings` and `app.qt`; they never compute.
"""
