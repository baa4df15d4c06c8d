#!/usr/bin/env bash
# H2 2.1.214, HSQLDB 2.7.1 and Derby 10.14.2.0 of Debian 12, seen on 2026-11-29.
# One would guess: what stands for the database in tests rounds as PostgreSQL does: 10.509 in DECIMAL(12,2) is 10.51, 10.505 too; 0.29/3 has
# more decimals than 0.29.
# What happens: so in H2. Derby cuts: 10.509 is 10.50, and 0.29 as a double times 100 is 28.99. HSQLDB stores 10.505 as 10.50, while its
# ROUND(10.505, 2) is 10.51, and divides within the column's decimals: 0.29/3 is 0.09, an average has two.
# Why it matters: a test of fees passes on one and the cents are others in production, or the other way round.
# Known to: [Amounts](../docs/amounts.md): round before the call; our ledgers store text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 libh2-java=2.1.214-1 libhsqldb-java=2.7.1-1+deb12u1 libderby-java=10.14.2.0-2 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
cat >Run.java <<'JAVA'
import java.math.BigDecimal;
import java.sql.*;

class Run {
    static String row(Statement statement, String query) throws SQLException {
        ResultSet rows = statement.executeQuery(query);
        StringBuilder text = new StringBuilder();
        while (rows.next())
            for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++)
                text.append(rows.getBigDecimal(column).toPlainString()).append(' ');
        return text.toString().trim();
    }

    public static void main(String[] arguments) throws SQLException {
        for (String url : new String[] {"jdbc:h2:mem:shop", "jdbc:hsqldb:mem:shop", "jdbc:derby:memory:shop;create=true"}) {
            Connection connection = DriverManager.getConnection(url);
            Statement statement = connection.createStatement();
            statement.execute("CREATE TABLE orders (id INTEGER, amount DECIMAL(12,2))");
            PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?)");
            for (String amount : new String[] {"10.505", "10.509", "0.29"}) {
                insert.setInt(1, amount.length());
                insert.setBigDecimal(2, new BigDecimal(amount));
                insert.execute();
            }
            System.out.println(url.split(":")[1] + ": " + row(statement, "SELECT amount FROM orders ORDER BY amount") + " | "
                + row(statement, "SELECT CAST(amount / 3 AS DECIMAL(12,6)) FROM orders WHERE id = 4") + " | "
                + row(statement, "SELECT CAST(CAST(0.29 AS DOUBLE) * 100 AS DECIMAL(12,2)) FROM orders WHERE id = 4"));
        }
    }
}
JAVA
jars=usr/share/java
java -Dderby.stream.error.file=derby.log -cp "$jars/h2.jar:$jars/hsqldb.jar:$jars/derby.jar" Run.java | tee seen
[ "$(cat seen)" = "h2: 0.29 10.51 10.51 | 0.096667 | 29.00
hsqldb: 0.29 10.50 10.51 | 0.090000 | 29.00
derby: 0.29 10.50 10.50 | 0.096666 | 28.99" ]
