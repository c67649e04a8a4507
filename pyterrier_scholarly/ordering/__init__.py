"""Orders of candidates: windows, permutations read from text, expansion. Pure functions."""
