#!/usr/bin/env python3
# Logs a number.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":7}')
print('{"version":"0","type":"done","ok":true}')
