#!/usr/bin/env python3
# Its second line is null.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print("null")
print('{"version":"0","type":"done","ok":true}')
