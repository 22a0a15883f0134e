"""The parts of pages that code says: the options of commands, and the signatures of the library."""
