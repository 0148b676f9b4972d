#!/usr/bin/env python3
# Says its time twice.
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print(
    '{"type":"started","ts":"2025-02-25T10:00:00Z","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}'
)
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
