#!/usr/bin/env python3
# Leaves blank lines between its events.
print(
    '\n{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}\n\n   \n\r\n{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}\n\n'
)
