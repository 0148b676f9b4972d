#!/usr/bin/env python3
# Its second line is made of NUL bytes.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print("\0" * 100)
print('{"version":"0","type":"done","ok":true}')
