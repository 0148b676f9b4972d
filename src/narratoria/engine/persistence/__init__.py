"""Writes stories to disk, reads them back, and takes them elsewhere."""
