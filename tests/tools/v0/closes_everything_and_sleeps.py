#!/usr/bin/env python3
# Closes every descriptor and sleeps.
import os
import time

print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
os.closerange(0, 256)
time.sleep(600)
