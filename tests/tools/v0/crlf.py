#!/usr/bin/env python3
# Ends its lines as Windows does.
print('{"version":"0","type":"log","level":"info","message":"still fine"}', end="\r\n")
print('{"version":"0","type":"done","ok":true}', end="\r\n")
