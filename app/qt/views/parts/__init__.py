"""What several views use."""
