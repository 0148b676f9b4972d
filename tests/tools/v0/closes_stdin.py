#!/usr/bin/env python3
# Closes its stdin at once.
import os

os.close(0)
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}')
