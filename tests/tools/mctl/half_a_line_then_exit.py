#!/usr/bin/env python3
# Exits in the middle of a line.
import sys

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
sys.stdout.write('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}'[:20])
