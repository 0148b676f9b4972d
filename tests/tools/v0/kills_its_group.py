#!/usr/bin/env python3
# Kills its whole process group.
import os
import signal

print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
os.killpg(0, signal.SIGKILL)
