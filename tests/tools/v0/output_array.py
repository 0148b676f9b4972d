#!/usr/bin/env python3
# Has an array for its output.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true,"output":[1]}')
print('{"version":"0","type":"done","ok":true}')
