"""docs/other-languages.md: its commands run, and so do its lines that sign and verify, where their language is there."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from paywright_runtime.signing.rsa import RsaSigner
from tests.cli.helpers.command_line import paywright
from tests.docs.pages import Page
from tests.docs.reader import Reader
from tests.support.keys import key_pair

PAGE = Page("other-languages")
TEXT, BLOCKS = PAGE.text, dict(PAGE.all)
BODY = '{"outTradeNo": "ORD_1", "subject": "Tr\u00e4ume", "totalAmount": 10.50}'


def test_every_block_is_run() -> None:
    assert set(BLOCKS) == {"sh", *PROGRAMS}
    assert TEXT.count("\n```\n") == len(BLOCKS)


@pytest.mark.slow
def test_the_commands_write_the_documents(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    reader.follow("sh", BLOCKS["sh"])
    assert {path.name for path in tmp_path.glob("*.json")} == {"openapi.json", "schemas.json", "examples.json"}


def test_every_key_of_the_document_is_explained() -> None:
    document = paywright("contract", "export", "openapi").out
    known = {"x-sections", "x-version", "x-address", "x-not-shown"}  # they explain themselves
    found = set(re.findall(r'"(x-[a-z-]+)":', document))
    assert {name for name in found - known if f"`{name}`" not in TEXT} == set()


_TYPES = re.compile(r": (?:Buffer|KeyLike|string|boolean)\b|, type KeyLike")
PROGRAMS = {
    "typescript": ("node", "run.mjs", lambda text: _TYPES.sub("", text).replace("export ", "") + """
import { readFileSync } from "node:fs";
const [body, key, open] = ["body", "key.pem", "open.pem"].map((name) => readFileSync(name));
const made = sign(body, key);
console.log(made, verifies(body, made, open), verifies(Buffer.concat([body, Buffer.from(" ")]), made, open), verifies(body, "x", open));
"""),
    "java": ("java", "Run.java", lambda text: """
import java.nio.file.*;
public class Run {
""" + text + """
    static byte[] der(String name) throws Exception {
        String pem = Files.readString(Path.of(name)).replaceAll("-----[^-]+-----|\\\\s", "");
        return java.util.Base64.getDecoder().decode(pem);
    }
    public static void main(String[] none) throws Exception {
        var keys = java.security.KeyFactory.getInstance("RSA");
        byte[] body = Files.readAllBytes(Path.of("body"));
        var key = keys.generatePrivate(new java.security.spec.PKCS8EncodedKeySpec(der("key.pem")));
        var open = keys.generatePublic(new java.security.spec.X509EncodedKeySpec(der("open.pem")));
        String made = sign(body, key);
        byte[] longer = java.util.Arrays.copyOf(body, body.length + 1);
        System.out.println(made + " " + verifies(body, made, open) + " " + verifies(longer, made, open) + " " + verifies(body, "x", open));
    }
}
"""),
    "go": ("go", "run.go", lambda text: """
package main

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
)

""" + text + """
func read(name string) []byte {
	raw, _ := os.ReadFile(name)
	block, _ := pem.Decode(raw)
	return block.Bytes
}

func main() {
	body, _ := os.ReadFile("body")
	key, _ := x509.ParsePKCS8PrivateKey(read("key.pem"))
	open, _ := x509.ParsePKIXPublicKey(read("open.pem"))
	made, _ := sign(body, key.(*rsa.PrivateKey))
	public := open.(*rsa.PublicKey)
	fmt.Println(made, verifies(body, made, public), verifies(append(body, ' '), made, public), verifies(body, "x", public))
}
"""),
    "php": ("php", "run.php", lambda text: "<?php\n" + text + """
$body = file_get_contents('body');
$open = openssl_pkey_get_public(file_get_contents('open.pem'));
$made = sign($body, openssl_pkey_get_private(file_get_contents('key.pem')));
$said = [verifies($body, $made, $open), verifies("$body ", $made, $open), verifies($body, 'x', $open)];
echo $made, ' ', implode(' ', array_map(fn ($one) => $one ? 'true' : 'false', $said)), "\\n";
"""),
}  # fmt: skip


@pytest.mark.parametrize(
    "language",
    [
        pytest.param(one, marks=pytest.mark.slow if one in ("typescript", "php") else pytest.mark.full)
        for one in PROGRAMS
    ],
)
def test_the_lines_sign_as_we_do_and_verify_what_was_signed(language: str, tmp_path: Path) -> None:
    program, file, whole = PROGRAMS[language]
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} on this machine")
    pair = key_pair(1)
    (tmp_path / file).write_text(whole(BLOCKS[language]), encoding="utf-8")
    (tmp_path / "body").write_bytes(BODY.encode())
    (tmp_path / "key.pem").write_text(pair.private_pem)
    (tmp_path / "open.pem").write_text(pair.public_pem)
    command = [program, "run", file] if program == "go" else [program, file]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [RsaSigner(pair.private).sign(BODY.encode()), "true", "false", "false"]
