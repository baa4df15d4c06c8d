"""`python -m paywright_cli`, and the command `paywright`."""

import sys


def main() -> int:
    """Run one command and return its exit code, 130 if Ctrl-C comes while the command line is still imported."""
    try:
        from paywright_cli.main import main as run  # it may be interrupted
    except KeyboardInterrupt:
        return 130
    return run()


if __name__ == "__main__":
    sys.exit(main())
