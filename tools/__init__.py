"""Programs for the people who develop this one."""
