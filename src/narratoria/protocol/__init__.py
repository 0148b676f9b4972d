"""Tools are processes; this layer turns one into typed events and an outcome."""
