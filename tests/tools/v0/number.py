#!/usr/bin/env python3
# Its second line is a number.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print("42")
print('{"version":"0","type":"done","ok":true}')
