#!/usr/bin/env python3
# Leaves out the last newline.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}', end="")
