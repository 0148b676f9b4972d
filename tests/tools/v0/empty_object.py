#!/usr/bin/env python3
# Emits an object with nothing in it.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print("{}")
print('{"version":"0","type":"done","ok":true}')
