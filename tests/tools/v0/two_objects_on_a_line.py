#!/usr/bin/env python3
# Puts two events on one line.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print(
    '{"version":"0","type":"log","level":"info","message":"still fine"}{"version":"0","type":"log","level":"info","message":"still fine"}'
)
print('{"version":"0","type":"done","ok":true}')
