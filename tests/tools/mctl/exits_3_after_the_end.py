#!/usr/bin/env python3
# Says that all went well, and exits with 3.
import sys

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}')
sys.exit(3)
