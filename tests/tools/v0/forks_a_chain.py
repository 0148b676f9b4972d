#!/usr/bin/env python3
# Each process starts the next, 40 deep, all in sessions of their own and deaf to SIGTERM.
import os
import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
for _ in range(40):
    if os.fork():
        time.sleep(600)
    os.setsid()
time.sleep(600)
