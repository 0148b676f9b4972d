#!/usr/bin/env python3
# Forgets its version.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"type":"log","level":"info","message":"hm"}')
print('{"version":"0","type":"done","ok":true}')
