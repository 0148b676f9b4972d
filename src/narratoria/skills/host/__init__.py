"""Answers the calls of a skill: its records, embeddings, the language model and pictures."""
