"""What belongs to a guided test beside its presentations: plan, details, the session on disk."""
