#!/usr/bin/env python3
# Its second line is made of all bytes but the newline.
import sys

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
sys.stdout.buffer.write(bytes(byte for byte in range(256) if byte != 10) + b"\n")
sys.stdout.flush()
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
