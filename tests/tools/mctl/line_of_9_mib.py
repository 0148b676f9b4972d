#!/usr/bin/env python3
# Its second line is a valid event of 9 MiB.
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print(
    '{"type":"log","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"level":"info","message":"%s"}}'
    % ("x" * (9 * 1024 * 1024))
)
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
