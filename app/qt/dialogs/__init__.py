"""Settings, test details, shortcuts and the about box."""
