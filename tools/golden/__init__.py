"""Golden answers: what every command and the library say about many small workflows."""
