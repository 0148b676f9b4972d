#!/usr/bin/env python3
# Has no patch in its patch.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"state_patch"}')
print('{"version":"0","type":"done","ok":true}')
