#!/usr/bin/env python3
# Goes on with events a little while after done.
import time

print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}', flush=True)
for _ in range(3):
    time.sleep(0.05)
    print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
