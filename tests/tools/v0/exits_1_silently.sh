#!/usr/bin/env bash
# Exits with 1 and not a word.
exit 1
