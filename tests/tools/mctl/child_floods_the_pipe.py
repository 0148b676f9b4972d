#!/usr/bin/env python3
# Leaves a child behind that writes to its stdout without end.
import os

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}', flush=True)
if os.fork() == 0:
    while True:
        os.write(1, b"never heard\n" * 1000)
os._exit(0)
