#!/usr/bin/env python3
# Has a number for the request id.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"hm","requestId":7}')
print('{"version":"0","type":"done","ok":true}')
