#!/usr/bin/env python3
# Writes 200 MB to stderr.
import sys

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
for _ in range(200):
    sys.stderr.buffer.write(b"e" * 999_999 + b"\n")
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
