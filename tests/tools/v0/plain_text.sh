#!/usr/bin/env bash
# Talks to a person instead of the runtime.
echo 'Hello! I am working on it.'
echo '{"version":"0","type":"log","level":"info","message":"still fine"}'
echo '{"version":"0","type":"done","ok":true}'
