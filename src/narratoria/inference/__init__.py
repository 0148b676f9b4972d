"""Models on this machine: the embedder and, in time, the narrator's voice, each in a process of its own."""
