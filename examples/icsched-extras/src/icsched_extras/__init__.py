"""An order, a format and a clusterer that another package adds to icsched."""
