"""Fills a sparse campaign with generated content before it is played."""
