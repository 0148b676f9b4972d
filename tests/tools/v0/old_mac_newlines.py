#!/usr/bin/env python3
# Ends its lines with a carriage return alone.
print(
    '{"version":"0","type":"log","level":"info","message":"still fine"}',
    '{"version":"0","type":"log","level":"info","message":"still fine"}',
    '{"version":"0","type":"done","ok":true}',
    sep="\r",
)
