#!/usr/bin/env python3
# Ends its lines with a carriage return alone.
print(
    '{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}',
    '{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}',
    '{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}',
    sep="\r",
)
