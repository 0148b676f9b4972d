#!/usr/bin/env bash
# Exits with 255.
echo '{"version":"0","type":"log","level":"info","message":"still fine"}'
exit 255
