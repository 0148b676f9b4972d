#!/usr/bin/env python3
# Goes on saying something for ten minutes.
import time

for _ in range(6000):
    print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
    time.sleep(0.1)
