"""Reads, checks, fills and packs campaigns: stories as folders that anyone can write."""
