#!/usr/bin/env python3
# Says that all went well, and exits with 3.
import sys

print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}')
sys.exit(3)
