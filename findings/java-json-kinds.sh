#!/usr/bin/env bash
# Gson 2.10 and json-lib 2.4 of Debian 12, seen on 2026-12-01.
# One would guess: two trees of Gson are equal if their numbers are; json-lib reads a number with decimals as a double, and puts a text in as text.
# What happens: Gson compares doubles, though it writes every digit: orders 12345678901234567 and ...68 are equal. json-lib reads 1234567.89
# as the float 1234567.9, while 12345.67 stays; of a text that is put in, "[1,2]" becomes a list and "null" null.
# Why it matters: two deliveries count as one, large amounts lose cents, and a customer's note changes its type.
# Known to: the SDK reads the digits of any size.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 libgoogle-gson-java=2.10-1 libjson-java=2.4-3.1 libezmorph-java=1.0.6-4 libcommons-lang-java=2.6-10+deb12u1 \
  libcommons-logging-java=1.2-3 libcommons-collections3-java=3.2.2-2 libcommons-beanutils-java=1.9.4-1+deb12u1 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
cat >Run.java <<'JAVA'
import com.google.gson.*;
import net.sf.json.JSONObject;

class Run {
    public static void main(String[] arguments) {
        JsonElement first = JsonParser.parseString("{\"order\":12345678901234567,\"amount\":12345678901234567.89}");
        JsonElement second = JsonParser.parseString("{\"order\":12345678901234568,\"amount\":12345678901234567.88}");
        System.out.println(first + " " + second + " " + first.equals(second));
        System.out.println(JSONObject.fromObject("{\"small\":12345.67,\"large\":1234567.89,\"id\":20261129000000000001}"));
        for (String note : new String[] {"paid", "[1,2]", "[urgent]", "{}", "null"})
            System.out.println(note + " " + new JSONObject().element("note", note));
    }
}
JAVA
java -cp "$(find "$folder" -name '*.jar' | paste -sd :)" Run.java | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
{"order":12345678901234567,"amount":12345678901234567.89} {"order":12345678901234568,"amount":12345678901234567.88} true
{"small":12345.67,"large":1234567.9,"id":20261129000000000001}
paid {"note":"paid"}
[1,2] {"note":[1,2]}
[urgent] {"note":"[urgent]"}
{} {"note":{}}
null {"note":null}
SEEN
