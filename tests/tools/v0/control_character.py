#!/usr/bin/env python3
# Has a raw tab in a string.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"a\tb"}')
print('{"version":"0","type":"done","ok":true}')
