#!/usr/bin/env python3
# Ends with a segmentation fault.
import os
import signal

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
os.kill(os.getpid(), signal.SIGSEGV)
