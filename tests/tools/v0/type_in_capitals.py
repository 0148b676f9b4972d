#!/usr/bin/env python3
# Shouts its type.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"LOG","level":"info","message":"hm"}')
print('{"version":"0","type":"done","ok":true}')
