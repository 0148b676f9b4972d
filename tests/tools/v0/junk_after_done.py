#!/usr/bin/env python3
# Writes no JSON at all after done.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}')
print("Bye!")
print("\0\0")
