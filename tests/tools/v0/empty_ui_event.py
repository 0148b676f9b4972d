#!/usr/bin/env python3
# Asks the interface for nothing.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"ui_event","event":""}')
print('{"version":"0","type":"done","ok":true}')
