#!/usr/bin/env python3
# Says its level twice.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","level":"warn","message":"hm"}')
print('{"version":"0","type":"done","ok":true}')
