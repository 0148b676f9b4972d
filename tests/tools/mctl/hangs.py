#!/usr/bin/env python3
# Says something and sleeps.
import time

print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
time.sleep(600)
