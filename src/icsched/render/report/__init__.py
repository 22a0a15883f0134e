"""The report of one workflow: its keys as JSON, and its page."""
