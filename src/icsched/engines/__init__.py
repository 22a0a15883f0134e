"""What other workflow engines take from icsched: orders, priorities, a scheduler, settings."""
