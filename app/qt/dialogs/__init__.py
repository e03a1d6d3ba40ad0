"""Settings, shortcuts and the about box."""
