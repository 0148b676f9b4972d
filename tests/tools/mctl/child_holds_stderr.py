#!/usr/bin/env python3
# Leaves a child behind that holds its stderr alone.
import os
import time

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
if os.fork() == 0:
    os.close(1)
    time.sleep(600)
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}', flush=True)
os._exit(0)
