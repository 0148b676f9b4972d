"""Reads what a player does and makes the plan of scripts that a turn runs."""
