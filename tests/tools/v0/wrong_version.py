#!/usr/bin/env python3
# Speaks a version of the future.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"1","type":"log","level":"info","message":"hm"}')
print('{"version":"0","type":"done","ok":true}')
