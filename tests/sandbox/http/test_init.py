"""`paywright sandbox init`, sandbox.toml and the command line."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from paywright import Client
from paywright_cli.main import build_parser
from paywright_runtime.errors import ConfigurationError
from paywright_runtime.signing.keys import load_private_key, load_public_key
from paywright_sandbox.engine.settings import BIZ_PATH
from paywright_sandbox.gateway import POLICIES, read_settings
from paywright_sandbox.init import make_folder, read_env
from tests.support.commands import sandbox as main


def test_private_keys_are_their_owners_alone_and_pairs_match(folder: Path) -> None:
    for name in ("merchant", "gateway"):
        private, public = folder / "keys" / f"{name}.key", folder / "keys" / f"{name}.pub"
        assert stat.S_IMODE(private.stat().st_mode) == 0o600
        assert load_private_key(private).public_key() == load_public_key(public)
    assert (folder / ".gitignore").read_text().splitlines()[-1] == "*"
    assert not list(folder.rglob("*.new"))


def test_init_says_what_to_do_next_and_shows_no_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path / "box"), "--port", "9911"]) == 0
    said = capsys.readouterr().out
    assert "paywright sandbox --dir" in said
    for file in (tmp_path / "box" / "keys").iterdir():
        assert not any(line in said for line in file.read_text().splitlines())
    assert read_env(tmp_path / "box")["PAYWRIGHT_BASE_URL"] == "http://127.0.0.1:9911"
    assert read_settings(tmp_path / "box").port == 9911


def test_init_overwrites_nothing_unless_forced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert main(["init", str(folder)]) == 2
    assert "--force" in capsys.readouterr().err
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before
    (folder / "state.sqlite3").write_bytes(b"kept")
    assert main(["init", str(folder), "--force"]) == 0
    assert (folder / "keys" / "merchant.key").read_bytes() != before[folder / "keys" / "merchant.key"]
    assert (folder / "state.sqlite3").read_bytes() == b"kept"


def test_a_folder_whose_path_env_could_not_carry_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="comma"):
        make_folder(tmp_path / "a,b")
    assert not (tmp_path / "a,b").exists()


def test_the_env_file_makes_a_client_by_a_shell_and_by_read_env(tmp_path: Path) -> None:
    folder = tmp_path / "with space & 'quote'"
    make_folder(folder)
    with Client.from_env(read_env(folder)) as client:
        assert "app_sandbox_1" in repr(client)
    shell = 'set -a; . "$0"; set +a; env'
    out = subprocess.run(
        ["sh", "-c", shell, str(folder / ".env")], capture_output=True, text=True, check=True, timeout=30
    )
    seen = dict(line.split("=", 1) for line in out.stdout.splitlines() if line.startswith("PAYWRIGHT_"))
    assert seen == read_env(folder)
    assert seen["PAYWRIGHT_PATHS"] == f"payment_tokens.inquire={BIZ_PATH},cases.inquire={BIZ_PATH}"
    assert Path(seen["PAYWRIGHT_PRIVATE_KEY_FILE"]).is_absolute()


def test_the_settings_file_lists_every_policy_with_its_default(folder: Path) -> None:
    text = (folder / "sandbox.toml").read_text()
    uncommented = "".join(
        line.removeprefix("# ") + "\n" if any(line.startswith(f"# {name} = ") for name in POLICIES) else line + "\n"
        for line in text.splitlines()
    )
    (folder / "sandbox.toml").write_text(uncommented)
    policies = read_settings(folder).policies
    for name, policy in POLICIES.items():
        assert f"# {name} = " in text
        assert policies._values[name] == policy.default


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("port = 8787", "prot = 8787", "did you mean port"),
        ("port = 8787", 'port = "8787"', "must be a whole number"),
        ("port = 8787", "port = true", "must be a whole number"),
        ("port = 8787", "port = []", "must be a whole number"),
        ("[clock]", "[colck]", "did you mean clock"),
        ('"wall"', '"moon"', "wall, sandbox or off"),
        ('app-id = "app_sandbox_1"', "", "needs app-id"),
        ('app-id = "app_sandbox_1"', "app-id = 5", "app-id must be text"),
        ("member-id = ", "membre-id = ", "did you mean member-id"),
        ('"cases.inquire"', '"cases.enquire"', "cases.inquire"),
        (f'"{BIZ_PATH}"', '"/_sandbox/x"', "not with /_sandbox"),
        ("[policies]", '[policies]\nrepaet = "X"', "did you mean repeat"),
        ("[policies]", "[policies]\nrepeat = 5", "must be text"),
        ("[policies]", '[policies]\nsettles-after = "2"', "number of seconds"),
        ("[policies]", '[policies]\nfails-at = ["x"]', "list of amounts"),
        ("[policies]", '[policies]\ndecimals = "two"', "must be one of as-seen, any"),
        ("[gateway]", "[gateway", "cannot be read"),
    ],
)
def test_a_setting_that_is_not_right_is_named(folder: Path, old: str, new: str, words: str) -> None:
    file = folder / "sandbox.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(ConfigurationError) as error:
        read_settings(folder)
    assert words in str(error.value)


def test_everything_wrong_is_said_at_once(folder: Path) -> None:
    file = folder / "sandbox.toml"
    file.write_text(
        file.read_text().replace("port =", "prot =").replace("seed =", "sede =").replace("app-id =", "app_id =")
    )
    with pytest.raises(ConfigurationError) as error:
        read_settings(folder)
    assert all(word in str(error.value) for word in ("prot", "sede", "app_id"))


@pytest.mark.parametrize("arguments", [["--dir", "/nonexistent"], ["init", "/proc/x"]])  # fmt: skip
def test_what_cannot_be_done_is_one_line_and_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("paywright: ")


def test_a_port_in_use_is_said_to_be(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["--dir", str(folder), "--port", str(taken.getsockname()[1])]) == 2
    assert "--port" in capsys.readouterr().err


def test_without_paths_what_has_no_address_is_served_at_one(folder: Path) -> None:
    settings = folder / "sandbox.toml"
    text = settings.read_text(encoding="utf-8")
    written = read_settings(folder).paths
    settings.write_text(re.sub(r"(?ms)^\[paths\].*?(?=^\[|\Z)", "", text), encoding="utf-8")
    assert "[paths]" not in settings.read_text(encoding="utf-8")
    assert (
        read_settings(folder).paths == written == dict.fromkeys(("cases.inquire", "payment_tokens.inquire"), BIZ_PATH)
    )


def test_a_folder_is_named_before_and_behind_the_command() -> None:
    parser = build_parser()
    assert parser.parse_args(["sandbox", "--dir", "a", "events"]).dir == Path("a")
    assert parser.parse_args(["sandbox", "--dir", "a", "events", "--dir", "b"]).dir == Path("b")
    assert parser.parse_args(["sandbox", "--port", "0"]).port == 0
    with pytest.raises(SystemExit):
        parser.parse_args(["sandbox", "--port", "65536"])


def test_without_the_extra_serving_says_what_to_install(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules.update(starlette=None, uvicorn=None)\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = [sys.executable, "-m", "paywright_cli", "sandbox", "--dir", str(folder)]
    out = subprocess.run(command, capture_output=True, text=True, env=env, timeout=600)
    assert (out.returncode, out.stdout) == (2, "")
    assert "pip install 'paywright[sandbox]'" in out.stderr


def test_the_command_line_imports_no_server() -> None:
    code = (
        "import sys, paywright_cli.commands.sandbox; print([m for m in ('starlette', 'uvicorn') if m in sys.modules])"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env, timeout=600)
    assert out.stdout.strip() == "[]"
