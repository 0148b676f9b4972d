"""An MCP server of this home: its tools play stories, show what they keep, and write campaigns."""
