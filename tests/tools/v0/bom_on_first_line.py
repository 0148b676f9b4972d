#!/usr/bin/env python3
# Starts with a byte order mark.
print('\ufeff{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"done","ok":true}')
