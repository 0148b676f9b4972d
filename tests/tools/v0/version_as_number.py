#!/usr/bin/env python3
# Has its version as a number.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":0,"type":"log","level":"info","message":"hm"}')
print('{"version":"0","type":"done","ok":true}')
