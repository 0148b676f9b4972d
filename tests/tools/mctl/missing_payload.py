#!/usr/bin/env python3
# Emits an event without a payload.
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print('{"type":"log","ts":"2025-02-25T10:00:00Z","toolId":"zoo"}')
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
