"""Protocols as peers: each turns lines into its own events and judges its own endings."""
