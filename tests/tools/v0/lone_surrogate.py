#!/usr/bin/env python3
# Escapes half a character.
print('{"version":"0","type":"log","level":"info","message":"still fine"}')
print('{"version":"0","type":"log","level":"info","message":"\\ud83d"}')
print('{"version":"0","type":"done","ok":true}')
