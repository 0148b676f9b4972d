#!/usr/bin/env bash
# Turns into a program that says nothing and sleeps.
exec sleep 600
