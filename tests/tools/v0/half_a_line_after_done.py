#!/usr/bin/env python3
# Begins another line after done and does not end it.
import sys

print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}')
sys.stdout.write("Bye!")
