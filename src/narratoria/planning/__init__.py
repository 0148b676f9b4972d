"""Plans: which tools run for an action, in which order, and what became of them."""
