#!/usr/bin/env python3
# Sends a character of four bytes one byte at a time, with a pause after each.
import os
import time

head, tail = '{"version":"0","type":"log","level":"info","message":"%"}'.encode().split(b"%")
os.write(1, head)
for byte in "\N{FIRE}".encode():
    os.write(1, bytes([byte]))
    time.sleep(0.05)
os.write(1, tail + b'\n{"version":"0","type":"done","ok":true}\n')
