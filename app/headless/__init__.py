"""What the window does, without one: enrolling, scoring and testing on sources, and a check-up.

Free of any user interface: the command line parses, calls these and prints.
"""
