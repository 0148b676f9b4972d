#!/usr/bin/env python3
# Says done, does not exit, and ignores SIGTERM.
import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}', flush=True)
time.sleep(600)
