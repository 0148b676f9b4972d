#!/usr/bin/env bash
# Lights a torch, or puts it out: a tool needs nothing but a shell.
LC_ALL=C

# The runtime writes operation and input first: the head of the request is all a torch needs.
request=$(head -c 65536; cat >/dev/null)

# text KEY: the JSON string under that key as it stands, escapes and all, so that it can go out the same way
text() { [[ $request =~ \"$1\"[[:space:]]*:[[:space:]]*\"(([^\"\\]|\\.)*)\" ]] && printf '%s' "${BASH_REMATCH[1]}"; }

name=$(text name)
name=${name:-torch}
if [[ $(text operation) == douse ]]; then lit=false doing=Dousing ending='is out'; else lit=true doing=Lighting ending=burns; fi

cat <<EVENTS
{"version":"0","type":"log","level":"info","message":"$doing the $name"}
{"version":"0","type":"state_patch","patch":{"flags":{"torchLit":$lit}}}
{"version":"0","type":"ui_event","event":"torch","payload":{"lit":$lit}}
{"version":"0","type":"done","ok":true,"summary":"The $name $ending.","output":{"name":"$name","lit":$lit}}
EVENTS
