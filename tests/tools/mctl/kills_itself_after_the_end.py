#!/usr/bin/env python3
# Says that all went well, and is killed by a signal.
import os
import signal

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}')
print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}', flush=True)
os.kill(os.getpid(), signal.SIGKILL)
