#!/usr/bin/env bash
# Jackson 2.14.0 (jackson-databind) of Debian 12, seen on 2026-11-30.
# One would guess: with USE_BIG_DECIMAL_FOR_FLOATS a tree keeps the digits that were read, and a BigDecimal that is put in is written as it is.
# What happens: 100.00 is written as 1E+2, 10.50 as 10.5 and 0.00 as 0, read or put in. A Map keeps them, and so does a tree of
# `JsonNodeFactory.withExactBigDecimals(true)`. Without the feature, `asText()` of 12345678.90 is 1.23456789E7.
# Why it matters: a body that goes through a tree, to add one member, does not fit its signature; 1E+2 is refused where digits are expected.
# Known to: [When a signature fails](../docs/signatures.md#the-gateway-refuses-your-request): sign the bytes that are sent.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 libjackson2-core-java=2.14.1-2~deb12u1 libjackson2-databind-java=2.14.0-1+deb12u1 \
  libjackson2-annotations-java=2.14.0-1 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
cat >Run.java <<'JAVA'
import com.fasterxml.jackson.databind.*;
import com.fasterxml.jackson.databind.node.*;
import java.math.BigDecimal;
import java.util.Map;

class Run {
    public static void main(String[] arguments) throws Exception {
        String body = "{\"amount\":100.00,\"fee\":10.50,\"tip\":0.00}";
        ObjectMapper plain = new ObjectMapper();
        ObjectMapper mapper = new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
        System.out.println("tree " + mapper.readTree(body));
        System.out.println("put " + plain.createObjectNode().put("amount", new BigDecimal("100.00")));
        System.out.println("map " + mapper.writeValueAsString(mapper.readValue(body, Map.class)));
        System.out.println("text " + plain.readTree("12345678.90").asText());
        mapper.setNodeFactory(JsonNodeFactory.withExactBigDecimals(true));
        System.out.println("exact " + mapper.readTree(body));
    }
}
JAVA
expected='tree {"amount":1E+2,"fee":10.5,"tip":0}
put {"amount":1E+2}
map {"amount":100.00,"fee":10.50,"tip":0.00}
text 1.23456789E7
exact {"amount":100.00,"fee":10.50,"tip":0.00}'
seen="$(java -cp "$(find "$folder" -name '*.jar' | paste -sd :)" Run.java)"
echo "$seen"
[ "$seen" = "$expected" ] || { echo "this has changed"; exit 1; }
