"""An MCP server as a skill: what describes it, the bridge that speaks with it, and its list of tools."""
