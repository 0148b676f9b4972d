#!/usr/bin/env python3
# Has its result and does not exit: the exit code is missing, and so there is no success.
import time

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}', flush=True)
time.sleep(600)
