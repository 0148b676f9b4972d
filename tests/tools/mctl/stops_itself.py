#!/usr/bin/env python3
# Stops itself with SIGSTOP.
import os
import signal
import time

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
time.sleep(600)
