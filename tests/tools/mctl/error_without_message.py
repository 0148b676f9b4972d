#!/usr/bin/env python3
# Reports an error without a message.
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print('{"type":"error","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"code":"HM"}}')
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
