"""Compare systems query by query and paper by paper: why one is better, and where."""
