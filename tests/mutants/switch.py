"""Asked in changed modules whether a change is done: the number in MUTANT, or `active`. Notes which changes were asked for.

A copy of it stands as `mutant_switch` beside the changed packages; other processes note theirs in the file MUTANTS_ASKED.
"""

import os

active = int(os.environ.get("MUTANT", "-1"))
asked = set()
home = os.getpid() if active < 0 and "MUTANTS_ASKED" not in os.environ else 0


def on(number):
    if number not in asked:
        asked.add(number)
        if os.getpid() != home and (name := os.environ.get("MUTANTS_ASKED")):
            file = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(file, b"%d\n" % number)
            os.close(file)
    return active == number
