"""What decides and what tells: planners, and the last words when all else fails."""
