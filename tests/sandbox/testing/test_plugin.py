"""The pytest plugin: its fixtures and marker, how a test fails for what the sandbox has seen, and what it costs others."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.pairs import one_of

pytest_plugins = ["pytester"]

SHOP = """
from datetime import UTC, datetime
from decimal import Decimal
import pytest

def order(client, number="ORD_1", **more):
    return client.orders.checkout(**{
        "out_trade_no": number, "subject": "s", "total_amount": Decimal(10), "currency": "USD", "user_id": "u",
        "front_callback_url": "https://shop.example/back", **more,
    })

def careless(sandbox):
    with sandbox.client(validation="off") as client:
        try:
            order(client, currency="usd")
        except Exception:
            pass
"""


def run(pytester: pytest.Pytester, text: str, *arguments: str, plugin: bool = True) -> pytest.RunResult:
    pytester.makepyfile(SHOP + text)
    named = ("-p", "paywright_sandbox.testing.pytest") if plugin else ()
    imported = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # the plugin, by another test of this process
    return pytester.runpytest_inprocess(
        "-p", "no:cacheprovider", "-q", "--strict-markers", *imported, *named, *arguments
    )


def test_every_test_gets_what_it_asks_for(pytester: pytest.Pytester) -> None:
    ran = run(
        pytester,
        """
def test_a_client(paywright_sandbox, paywright_client):
    order(paywright_client)
    paywright_sandbox.pay("ORD_1")
    assert paywright_client.orders.query(out_trade_no="ORD_1").status == "SUCCESS"

def test_awaited(paywright_sandbox, paywright_async_client):
    import asyncio
    asyncio.run(order(paywright_async_client))
    assert len(paywright_sandbox.items("orders")) == 1

def test_served_by_the_real_clock_as_other_processes_have_it(paywright_served):
    from paywright import Client, Receiver
    from paywright_receiver import MemoryLedger

    paid = []
    env = paywright_served.env
    keys = [paywright_served.gateway_public_key]
    receiver = Receiver(app_id=env["PAYWRIGHT_APP_ID"], gateway_keys=keys, ledger=MemoryLedger())
    receiver.on_result("orders")(lambda event: paid.append(event.data.key))
    paywright_served.deliver_to(receiver)
    with paywright_served.client() as client, Client.from_env(env) as other:
        assert order(client).redirect_url.startswith(paywright_served.base_url)
        order(other, "ORD_2", notify_url=paywright_served.base_url)
    paywright_served.pay("ORD_2")
    paywright_served.deliver()
    assert set(paid) == {"ORD_2"}

def test_a_receiver(paywright_sandbox, paywright_receiver, paywright_notification):
    made = paywright_notification("transfer", status="SETTLED")
    assert paywright_receiver.receive(made.body, made.headers).outcome == "unhandled"

def test_both(paywright_sandbox, paywright_served):
    assert paywright_sandbox.items("orders") == paywright_served.items("orders") == []

class TestOverridden:
    @pytest.fixture
    def paywright_policies(self):
        return {"closed-order-status": "CLOSED"}

    def test_policies(self, paywright_sandbox):
        assert paywright_sandbox.engine.settings.policies.value("closed-order-status") == "CLOSED"

@pytest.mark.paywright(policies={"closed-order-status": "CLOSED"}, seed=2, time="2025-01-31T12:00:00+00:00")
class TestMarked:
    def test_all(self, paywright_sandbox, paywright_client, paywright_seed):
        assert paywright_sandbox.engine.clock.now() == datetime(2025, 1, 31, 12, tzinfo=UTC)
        assert paywright_seed == "2"
        order(paywright_client)
        paywright_sandbox.advance(2 * 86400)
        assert paywright_client.orders.query(out_trade_no="ORD_1").status == "CLOSED"

    @pytest.mark.paywright(time=datetime(2026, 1, 1, tzinfo=UTC))
    def test_the_nearest_marker_counts(self, paywright_sandbox, paywright_policies):
        assert paywright_sandbox.engine.clock.now().year == 2026
        assert paywright_policies == {"closed-order-status": "CLOSED"}
""",
    )
    ran.assert_outcomes(passed=8)


def test_a_test_fails_at_its_end_for_what_broke_the_contract(pytester: pytest.Pytester) -> None:
    ran = run(
        pytester,
        """
def test_careless(paywright_sandbox):
    careless(paywright_sandbox)

def test_served(paywright_served):
    careless(paywright_served)

@pytest.mark.paywright(check=False)
def test_meant(paywright_sandbox):
    careless(paywright_sandbox)

def test_refused_for_good_reason(paywright_client):
    with pytest.raises(Exception):
        paywright_client.orders.query(out_trade_no="NONE")

def test_refused_by_a_policy(paywright_client):
    with pytest.raises(Exception, match="empty-texts"):
        paywright_client.exchanges.query(out_trade_no="")
""",
    )
    ran.assert_outcomes(passed=5, errors=2)
    ran.stdout.fnmatch_lines(["*ERROR at teardown of test_careless*", "*The sandbox has seen the contract broken:"])
    ran.stdout.fnmatch_lines(["*/data/currency must be 3 uppercase letters*", "*check=False*"])
    ran.stdout.fnmatch_lines(["*Seen by the sandbox*", "12:00:00  */orderAndPay ORD_1 -> 200 *"])


def test_a_failed_test_prints_what_the_sandbox_has_seen(pytester: pytest.Pytester) -> None:
    ran = run(
        pytester,
        """
@pytest.fixture
def broken(paywright_client):
    order(paywright_client, "ORD_9")
    raise RuntimeError("no database")

def test_fails(paywright_sandbox, paywright_client):
    paywright_sandbox.fault("reset", when="after", times=1, operation="orders.checkout")
    order(paywright_client)

def test_fails_before_it_begins(broken):
    pass

@pytest.fixture
def undone(paywright_client):
    yield order(paywright_client, "ORD_8")
    raise RuntimeError("the database is gone")

def test_fails_after_its_end(undone):
    pass

def test_passes(paywright_client):
    order(paywright_client, "ORD_7")
""",
    )
    ran.assert_outcomes(passed=2, failed=1, errors=2)
    ran.stdout.fnmatch_lines(
        [
            "*Seen by the sandbox*", "12:00:00  orders.checkout ORD_9 -> 200 APPLY_SUCCESS", "*Seen by the sandbox*",
            "12:00:00  orders.checkout ORD_8 -> 200 APPLY_SUCCESS", "*Seen by the sandbox*",
            "12:00:00  orders.checkout ORD_1 -> no answer   (fault: reset after)",
        ],
    )  # fmt: skip
    assert "ORD_7" not in ran.stdout.str()


@pytest.mark.parametrize(
    ("marker", "words"),
    one_of(3, [
        ("policy={}", "The marker paywright has policy, and takes policies, seed, time, check by name."),
        ("'2'", "The marker paywright has 2, and takes *"),
        ("time='2025-01-31'", "The marker has time='2025-01-31'; write a time like 2025-01-31T12:00:00+00:00."),
        ("time='soon'", "The marker has time='soon'; write a time like *"),
        ("time=5", "The marker has time=5; write a time like *"),
        ("policies={'close': 1}", "*there is no policy 'close'*"),
        ("policies='closed'", "The marker has policies='closed'; write a dict of names and values."),
        ("seed=[1]", "The marker has seed=*1*; write a text or a number."),
        ("check='no'", "The marker has check='no'; write True or False."),
        ("check=0", "The marker has check=0; write True or False."),
        ("time='2025-01-31T12:00:00+00:00'", "paywright_served goes by the real clock*leave the marker's time out."),
    ]),
)  # fmt: skip
def test_a_marker_that_cannot_be_is_refused_in_a_line(pytester: pytest.Pytester, marker: str, words: str) -> None:
    fixture = "paywright_served" if "real clock" in words else "paywright_sandbox"
    ran = run(pytester, f"@pytest.mark.paywright({marker})\ndef test_it({fixture}): pass")
    ran.assert_outcomes(errors=1)
    ran.stdout.fnmatch_lines([words])
    assert "Traceback" not in ran.stdout.str()
    assert len(ran.outlines) < 10


def test_a_conftest_may_name_the_plugin_too(pytester: pytest.Pytester) -> None:
    pytester.makeconftest('pytest_plugins = ["paywright_sandbox.testing.pytest"]')
    for twice in (True, False):
        run(pytester, "def test_it(paywright_client): order(paywright_client)", plugin=twice).assert_outcomes(passed=1)


def test_where_nobody_asks_for_a_fixture_the_plugin_imports_next_to_nothing() -> None:
    code = (
        "import sys, pytest\n"
        "before = set(sys.modules)\n"
        "import paywright_sandbox.testing.pytest\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout.split() == [
        "paywright_runtime", "paywright_runtime.lazy", "paywright_sandbox", "paywright_sandbox.testing",
        "paywright_sandbox.testing.pytest",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_entry_point_is_a_distribution_of_its_own_with_no_file_but_its_metadata(tmp_path: Path) -> None:
    """pytest reads the list of all files of a distribution with an entry point, and rewrites the asserts of all its modules."""
    source = Path(__file__).resolve().parents[3] / "sandbox" / "pytest-paywright"
    wheel = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(source)]
    subprocess.run(wheel, capture_output=True, timeout=600, check=True)
    (made,) = tmp_path.iterdir()
    import zipfile

    with zipfile.ZipFile(made) as files:
        names = {name.rpartition("/")[2]: name for name in files.namelist()}
        assert names.keys() == {"METADATA", "WHEEL", "entry_points.txt", "RECORD"}
        declared = files.read(names["entry_points.txt"]).decode()
        assert "paywright docs testing" in files.read(names["METADATA"]).decode().partition("\n\n")[2]
    assert declared.split("\n")[:2] == ["[pytest11]", "paywright_sandbox.testing.pytest = paywright_sandbox.testing.pytest"]  # fmt: skip
