# SPDX-License-Identifier: BSD-3-Clause
# Prints the queries of docs/guide/sql.md for tests/cli/sql.sh, one per line: NUMBER<tab>QUERY.
/^### [0-9]+\./ { number = $2 + 0 }
/^```sql$/ { inside = 1; query = ""; next }
/^```$/ && inside { inside = 0; print number "\t" query; next }
inside { sub(/^ +/, ""); query = query (query == "" ? "" : " ") $0 }
