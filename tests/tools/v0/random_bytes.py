#!/usr/bin/env python3
# Its second line is made of all bytes but the newline.
import sys

print('{"version":"0","type":"log","level":"info","message":"still fine"}', flush=True)
sys.stdout.buffer.write(bytes(byte for byte in range(256) if byte != 10) + b"\n")
sys.stdout.flush()
print('{"version":"0","type":"done","ok":true}')
