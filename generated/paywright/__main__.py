"""`python -m paywright`: the command line, which stands above this package, and is found by its name."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from runpy import run_module

if __name__ == "__main__":
    run_module("paywright_cli", run_name="__main__")
