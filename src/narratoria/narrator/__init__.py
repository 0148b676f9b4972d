"""Tells the scenes: the composer, the continuity gate, and the local model that skills may ask."""
