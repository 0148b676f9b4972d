#!/usr/bin/env python3
# Emits an event without a type.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","level":"info","message":"hm"}')
print('{"version":"0","type":"done","ok":true}')
