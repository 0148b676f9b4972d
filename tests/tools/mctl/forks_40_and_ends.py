#!/usr/bin/env python3
# Leaves 40 sleeping processes behind.
import os
import time

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
for _ in range(40):
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}', flush=True)
