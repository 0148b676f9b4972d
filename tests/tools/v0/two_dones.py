#!/usr/bin/env python3
# Says done twice, and changes its mind.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}')
print('{"version":"0","type":"done","ok":false}')
