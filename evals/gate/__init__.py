"""Measures how well the continuity gate tells prose that fits a story from prose that does not."""
