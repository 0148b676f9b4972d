#!/usr/bin/env python3
# Breaks the protocol, hangs, and ignores SIGTERM.
import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print("junk", flush=True)
time.sleep(600)
