#!/usr/bin/env python3
# Ends its lines as Windows does.
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', end="\r\n")
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}', end="\r\n")
