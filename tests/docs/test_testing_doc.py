"""docs/testing.md: its files pass as they stand there, and its shop with each of the three mistakes fails its test."""

import re

import pytest

from tests.docs.pages import Page

pytest_plugins = ["pytester"]

PAGE = Page("testing")
_TEXT = PAGE.text
FILES = {name.removesuffix(".py"): text for name, text in PAGE.files.items()}
MISTAKES = {
    "test_a_lost_answer_is_no_second_charge": ('number in self.orders:\n            return', 'number in self.orders:\n            number += "_AGAIN"'),
    "test_the_shop_knows_every_order": ("except OutcomeUnknown:\n", "except OutcomeUnknown:\n            del self.orders[number]\n"),
    "test_a_payment_is_found_without_a_notification": ('("UNKNOWN", "PENDING")', '("UNKNOWN",)'),
}  # fmt: skip


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", "-q", "--strict-markers", "-p", "paywright_sandbox.testing.pytest", *arguments
    )


def test_every_block_of_code_is_a_file() -> None:
    assert len(FILES) == _TEXT.count("```python") == 5
    assert len(re.sub(r"```.*?```", "", _TEXT, flags=re.DOTALL).split()) <= 800


@pytest.mark.slow
def test_the_files_pass_as_they_stand_there(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(**FILES)
    run(pytester).assert_outcomes(passed=9)


@pytest.mark.slow
@pytest.mark.parametrize("test", MISTAKES)
def test_each_mistake_is_found(pytester: pytest.Pytester, test: str) -> None:
    right, wrong = MISTAKES[test]
    assert right in FILES["ticket_shop"]
    pytester.makepyfile(**{**FILES, "ticket_shop": FILES["ticket_shop"].replace(right, wrong)})
    ran = run(pytester, "test_ticket_shop.py", "-k", test)
    ran.assert_outcomes(failed=1, deselected=2)
    ran.stdout.fnmatch_lines(["*Seen by the sandbox*", "12:00:00  orders.checkout ORD_1 -> *"])


@pytest.mark.slow
def test_the_lines_of_a_transcript_look_like_that(pytester: pytest.Pytester) -> None:
    shown = PAGE.block("text")
    pytester.makepyfile(
        ticket_shop=FILES["ticket_shop"],
        test_it="""
        from ticket_shop import TicketShop
        def test_it(paywright_sandbox, paywright_client):
            paywright_sandbox.fault("reset", when="after", times=1)
            shop = TicketShop(paywright_client)
            shop.buy("ORD_1")
            shop.ask()
            assert False
        """,
    )
    ran = run(pytester)
    assert shown in ran.stdout.str()
