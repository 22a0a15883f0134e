"""What each command finds, as frozen data; nothing here prints or parses options."""
