# SPDX-License-Identifier: BSD-3-Clause
# The queries of docs/guide/sql.md, one a line: NUMBER<tab>QUERY. Called by tests/cli/sql.sh.
/^### [0-9]+\./ { number = $2 + 0 }
/^```sql$/ { inside = 1; query = ""; next }
/^```$/ && inside { inside = 0; print number "\t" query; next }
inside { sub(/^ +/, ""); query = query (query == "" ? "" : " ") $0 }
