"""Says whether a remembered event bears out a state that an author wrote in prose."""
