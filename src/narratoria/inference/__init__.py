"""Runs models on this machine: the embedder and the narrator's model, each in its own process."""
