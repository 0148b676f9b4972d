"""Which skills a planner chooses for what players say: hand-written cases, and how often it is right."""
