#!/usr/bin/env python3
# Writes long valid lines without end.
import os

line = b'{"version":"0","type":"log","level":"info","message":"%s"}\n' % (b"x" * 1_000_000)
while True:
    os.write(1, line)
