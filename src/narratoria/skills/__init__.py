"""Skills: found in folders, healthy or not, and turned into tools that a plan may run."""
