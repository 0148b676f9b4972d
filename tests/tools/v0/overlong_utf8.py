#!/usr/bin/env python3
# Writes a slash in two bytes, as UTF-8 forbids.
import sys

sys.stdout.buffer.write(b'{"version":"0","type":"log","level":"info","message":"still fine"}\n')
sys.stdout.buffer.write(b'{"version":"0","type":"log","level":"info","message":"\xc0\xaf"}\n')
sys.stdout.buffer.write(b'{"version":"0","type":"done","ok":true}\n')
