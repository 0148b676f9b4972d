#!/usr/bin/env python3
# Writes bytes to stderr that are no text.
import sys

sys.stderr.buffer.write(bytes(range(256)) + b"the end")
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
