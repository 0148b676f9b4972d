#!/usr/bin/env python3
# Logs at a level that does not exist.
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print('{"type":"log","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"level":"fatal","message":"hm"}}')
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
