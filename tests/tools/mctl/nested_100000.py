#!/usr/bin/env python3
# Nests 100,000 levels deep, the event itself included.
depth = 99999
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print(
    '{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":'
    + '{"a":' * (depth - 1)
    + "{}"
    + "}" * depth
)
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
