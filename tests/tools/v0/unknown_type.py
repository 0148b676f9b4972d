#!/usr/bin/env python3
# Emits an event of a type that does not exist.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"teleport","to":"the moon"}')
print('{"version":"0","type":"done","ok":true}')
