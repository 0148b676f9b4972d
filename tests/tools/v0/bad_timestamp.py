#!/usr/bin/env python3
# Gives the time as people say it.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"hm","timestamp":"yesterday"}')
print('{"version":"0","type":"done","ok":true}')
