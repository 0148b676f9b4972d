#!/usr/bin/env python3
# Closes its stderr.
import os

os.close(2)
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}')
