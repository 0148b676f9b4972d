#!/usr/bin/env python3
# Its second line is a string.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('"done"')
print('{"version":"0","type":"done","ok":true}')
