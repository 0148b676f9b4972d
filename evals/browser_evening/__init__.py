"""Plays an evening in a real browser of a phone's size, and looks for what a reader would complain about."""
