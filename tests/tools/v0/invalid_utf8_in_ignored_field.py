#!/usr/bin/env python3
# Has bytes that are not UTF-8 in a field that nobody reads.
import sys

sys.stdout.buffer.write(b'{"version":"0","type":"log","level":"info","message":"still fine"}\n')
sys.stdout.buffer.write(b'{"version":"0","type":"log","level":"info","message":"hm","extra":"\xc3\x28"}\n')
sys.stdout.buffer.write(b'{"version":"0","type":"done","ok":true}\n')
