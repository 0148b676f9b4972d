#!/usr/bin/env python3
# Its second line is an array.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print("[1, 2]")
print('{"version":"0","type":"done","ok":true}')
