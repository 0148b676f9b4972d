"""Plans: prepared, executed in dependency order, tried again, and traced."""
