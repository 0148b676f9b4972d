#!/usr/bin/env python3
# Logs nothing.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":""}')
print('{"version":"0","type":"done","ok":true}')
