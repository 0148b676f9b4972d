#!/usr/bin/env python3
# Has a string for ok.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":"true"}')
print('{"version":"0","type":"done","ok":true}')
