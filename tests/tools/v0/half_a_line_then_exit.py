#!/usr/bin/env python3
# Exits in the middle of a line.
import sys

print('{"version":"0","type":"log","level":"info","message":"still fine"}')
sys.stdout.write('{"version":"0","type":"done","ok":true}'[:20])
