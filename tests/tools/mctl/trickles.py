#!/usr/bin/env python3
# Goes on saying something for ten minutes.
import time

for _ in range(6000):
    print('{"type":"started","ts":"2025-02-25T10:00:00Z","toolId":"zoo","payload":{}}', flush=True)
    time.sleep(0.1)
