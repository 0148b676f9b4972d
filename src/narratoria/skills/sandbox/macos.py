"""Writes the profile of macOS's sandbox-exec. Made from its documentation and not tested on a Mac yet."""

from __future__ import annotations

from narratoria.skills.sandbox.policy import SandboxPolicy

SANDBOX_EXEC = "/usr/bin/sandbox-exec"

_ALWAYS = """(version 1)
(deny default)
(allow process-fork)
(allow process-exec)
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read* (subpath "/System") (subpath "/Library/Frameworks") (subpath "/private/var/db/dyld"))
(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/urandom"))
(allow file-read* (literal "/dev/random") (literal "/"))
"""


def seatbelt_profile(place: SandboxPolicy) -> str:
    """Everything denied but what the place shows, and the network where it was granted."""
    lines = [f"(allow file-read* (subpath {_quoted(path)}))" for path in place.read_only]
    lines += [f"(allow file-read* file-write* (subpath {_quoted(path)}))" for path in place.writable]
    if place.network:
        lines.append('(allow network-outbound (remote ip "*:*"))')
        lines.append('(allow mach-lookup (global-name "com.apple.mDNSResponder"))')
    return _ALWAYS + "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
