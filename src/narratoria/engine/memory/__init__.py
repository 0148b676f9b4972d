"""Saves what happens in a story, recalls it, and lets go of it."""
