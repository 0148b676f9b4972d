"""Does what its input says, step by step: {"do": [["log", "hello"], ["patch", {"a": 1}], …]}.

Without a step that ends it, it says `done` with ok: true. Started with -I -S it is up in a few milliseconds.
"""

import json
import os
import signal
import sys
import time

request = json.loads(sys.stdin.buffer.read())


def emit(kind, **fields):
    sys.stdout.write(json.dumps({"version": "0", "type": kind, **fields}) + "\n")
    sys.stdout.flush()


def done(ok=True, **fields):
    emit("done", ok=ok, **fields)
    sys.exit(0)


def append(path, text):
    with open(path, "a") as file:
        file.write(text)
    return os.path.getsize(path)


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.005)


def inside(folder):
    return [name for name in os.listdir(folder) if name.startswith("in-")]


def enter(folder):
    """Come in, and write down how many are inside; counted before anyone can meet us and leave."""
    os.makedirs(folder, exist_ok=True)
    open(f"{folder}/in-{os.getpid()}", "x").close()
    many = len(inside(folder))
    with open(f"{folder}/seen-{os.getpid()}", "w") as file:
        file.write(str(many))


def meet(folder, many):
    """Wait inside until this many have come; whoever never meets them runs into its timeout."""
    while len([name for name in os.listdir(folder) if name.startswith("seen-")]) < many:
        time.sleep(0.005)


def fail_first(path, many):
    """Count the runs in a file; the first ones fail, and say so in a patch that must not be applied."""
    run = append(path, ".")
    if run <= many:
        emit("state_patch", patch={"failed": {str(run): True}})
        emit("error", errorCode="NOT_YET", errorMessage=f"run {run} of {many} that fail")
        done(ok=False)


STEPS = {
    "log": lambda message: emit("log", level="info", message=message),
    "patch": lambda patch: emit("state_patch", patch=patch),
    "asset": lambda name, path: emit("asset", assetId=name, kind="image", mediaType="image/png", path=path),
    "ui": lambda event: emit("ui_event", event=event, payload={}),
    "error": lambda code, message: emit("error", errorCode=code, errorMessage=message),
    "done": lambda fields: done(**fields),
    "fail": lambda: done(ok=False),
    "echo": lambda: done(output={"request": request}),
    "raw": lambda text: print(text, flush=True),
    "stderr": lambda text: print(text, file=sys.stderr, flush=True),
    "exit": sys.exit,
    "silence": lambda: os._exit(0),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "sleep": time.sleep,
    "hang": lambda: time.sleep(600),
    "deaf": lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN),
    "touch": lambda path: append(path, "."),
    "append": append,
    "wait for": wait_for,
    "enter": enter,
    "meet": meet,
    "leave": lambda folder: os.remove(f"{folder}/in-{os.getpid()}"),
    "fail first": fail_first,
}

for name, *arguments in request["input"].get("do") or []:
    STEPS[name](*arguments)
done()
