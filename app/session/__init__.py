"""What a running app has seen, enrolled, scored and tested."""
