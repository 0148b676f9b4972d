#!/usr/bin/env python3
# Has fields of the future: they are ignored.
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print(
    '{"type":"log","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"level":"info","message":"hm","mood":1},"extra":[{}]}'
)
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
