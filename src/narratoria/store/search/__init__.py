"""Finds records by meaning and by words, the most relevant first."""
