"""Layer 7: a story as a folder that anyone can write."""
