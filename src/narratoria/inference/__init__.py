"""Models on this machine: the embedder and the narrator's voice, each in a process of its own."""
