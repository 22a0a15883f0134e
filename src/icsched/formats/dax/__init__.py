"""DAX files, the XML of Pegasus 2 to 4: reading, writing, and orders."""
