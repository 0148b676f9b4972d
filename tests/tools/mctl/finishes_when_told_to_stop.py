#!/usr/bin/env python3
# Comes to its end only when it is told to stop.
import signal
import sys
import time


def finish(*_):
    print('{"type":"result","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{"answer":42}}', flush=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, finish)
print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
time.sleep(600)
