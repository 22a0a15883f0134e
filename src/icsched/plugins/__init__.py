"""Orders, priorities, a scheduler and settings for other workflow engines."""
