#!/usr/bin/env python3
# Closes its stdout without a last word and exits a little later.
import os
import time

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
os.close(1)
time.sleep(0.3)
os._exit(0)
