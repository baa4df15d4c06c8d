"""`python -m paywright_cli`: the command `paywright`."""

import sys

from paywright_cli.main import main

if __name__ == "__main__":
    sys.exit(main())
