#!/usr/bin/env bash
# Greets everybody. bash reads no JSON by itself, so this tool takes its request as it comes; with `jq` you could
# look into it: who=$(jq -r '.input.who // "stranger"' <<<"$request")
request=$(cat)

emit() { printf '%s\n' "$1"; }

emit '{"version":"0","type":"log","level":"info","message":"Good day!"}'
emit '{"version":"0","type":"state_patch","patch":{"greeted":{"everybody":true}}}'
emit '{"version":"0","type":"done","ok":true,"summary":"Everybody is greeted.","output":{"said":"Good day!","tell":"Everybody greets you back."}}'
