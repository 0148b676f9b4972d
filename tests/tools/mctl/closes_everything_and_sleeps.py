#!/usr/bin/env python3
# Closes every descriptor and sleeps.
import os
import time

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
os.closerange(0, 256)
time.sleep(600)
