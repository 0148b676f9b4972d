#!/usr/bin/env python3
# Logs at a level that does not exist.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"fatal","message":"hm"}')
print('{"version":"0","type":"done","ok":true}')
