#!/usr/bin/env python3
# Never reads its request, however large.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}')
