#!/usr/bin/env python3
# Has 500 brackets in a message: text, not nesting.
print(
    '{"type":"log","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"level":"info","message":"%"}}'.replace(
        "%", '[{\\"' * 250
    )
)
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
