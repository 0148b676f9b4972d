#!/usr/bin/env python3
# Writes JSON as Python would.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print("{'version': '0', 'type': 'done', 'ok': True}")
print('{"version":"0","type":"done","ok":true}')
