#!/usr/bin/env python3
# Writes something behind an event.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"still fine"} ok?')
print('{"version":"0","type":"done","ok":true}')
