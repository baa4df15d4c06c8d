"""`python -m paywright_tools.sandbox`: the same as `paywright sandbox`."""

import sys

from paywright_tools.sandbox.command import main

sys.exit(main(sys.argv[1:]))
