#!/usr/bin/env python3
# Emits a million events.
import sys

line = '{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}\n'
for _ in range(1000):
    sys.stdout.write(line * 1000)
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
