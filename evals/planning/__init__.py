"""Measures how often a planner chooses the right skills for what players say, on hand-written cases."""
