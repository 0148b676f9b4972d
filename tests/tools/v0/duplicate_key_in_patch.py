#!/usr/bin/env python3
# Says a key of its patch twice.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"state_patch","patch":{"lit":false,"lit":true}}')
print('{"version":"0","type":"done","ok":true}')
