"""Run as a process of its own: an SVG on stdin, a PNG on stdout. Imports nothing of ours."""

import sys


def main() -> None:
    size, crisp = int(sys.argv[1]), sys.argv[2] == "crisp"
    svg = sys.stdin.buffer.read().decode()
    if sys.platform != "win32":
        import resource

        # a picture that wants more is an attack or a mistake
        resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
        resource.setrlimit(resource.RLIMIT_AS, (2 * 1024**3, 2 * 1024**3))
    import resvg_py

    try:
        picture = resvg_py.svg_to_bytes(
            svg_string=svg,
            width=size,
            height=size,
            skip_system_fonts=True,
            shape_rendering="crisp_edges" if crisp else "geometric_precision",
        )
    except ValueError as problem:
        sys.exit(f"{problem}")
    sys.stdout.buffer.write(bytes(picture))


if __name__ == "__main__":
    main()
