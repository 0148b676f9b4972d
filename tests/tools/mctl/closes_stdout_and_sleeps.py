#!/usr/bin/env python3
# Closes its stdout and sleeps.
import os
import time

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
os.close(1)
time.sleep(600)
