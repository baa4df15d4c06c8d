"""`python -m paywright`: the command line."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

import sys

from paywright_cli.main import main

if __name__ == "__main__":
    sys.exit(main())
