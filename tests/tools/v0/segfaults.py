#!/usr/bin/env python3
# Ends with a segmentation fault.
import os
import signal

print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
os.kill(os.getpid(), signal.SIGSEGV)
