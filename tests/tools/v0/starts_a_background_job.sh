#!/usr/bin/env bash
# A shell that leaves a background job behind.
echo '{"version":"0","type":"log","level":"info","message":"still fine"}'
sleep 600 &
echo '{"version":"0","type":"done","ok":true}'
