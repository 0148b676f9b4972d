#!/usr/bin/env python3
# Uses characters that only some call a line end.
print(
    '{"type":"log","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"level":"info","message":"%"}}'.replace(
        "%", "one\u2028two\u2029three\x85four"
    )
)
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
