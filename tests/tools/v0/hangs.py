#!/usr/bin/env python3
# Says something and sleeps.
import time

print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
time.sleep(600)
