#!/usr/bin/env python3
# Ends with SIGABRT.
import os

print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
os.abort()
