#!/usr/bin/env python3
# Leaves a blank line before a line that is no JSON.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print()
print("junk")
print('{"version":"0","type":"done","ok":true}')
