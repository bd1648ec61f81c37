"""The way in: `sandbox` and `python -m sandbox`. An interruption is caught from the first import on."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command line of this process and leave with its exit code."""
    try:
        from sandbox.cli.main import main  # noqa: PLC0415 - Ctrl-C while this loads is an interruption like any other

        code = main()
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    run()
