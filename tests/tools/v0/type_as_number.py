#!/usr/bin/env python3
# Has a number for a type.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":3,"level":"info","message":"hm"}')
print('{"version":"0","type":"done","ok":true}')
