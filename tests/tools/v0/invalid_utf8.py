#!/usr/bin/env python3
# Has bytes in its message that are not UTF-8.
import sys

sys.stdout.buffer.write(b'{"version":"0","type":"log","level":"info","message":"still fine"}\n')
sys.stdout.buffer.write(b'{"version":"0","type":"log","level":"info","message":"\xff\xfe"}\n')
sys.stdout.buffer.write(b'{"version":"0","type":"done","ok":true}\n')
