"""Prepares plans, executes them in dependency order, replans after failures, and logs all of it."""
