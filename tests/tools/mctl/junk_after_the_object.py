#!/usr/bin/env python3
# Writes something behind an event.
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}} ok?')
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
