#!/usr/bin/env python3
# Says its type twice.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"hm","type":"log"}')
print('{"version":"0","type":"done","ok":true}')
