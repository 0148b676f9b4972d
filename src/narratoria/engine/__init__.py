"""Layer 8: the story loop. Read `turn` first."""
