# SPDX-License-Identifier: BSD-3-Clause
# Prints each wait in span JSON, except waits for a CPU, in the form of a row of thread_state: the waiting task, the
# length in ns, the task that ended the wait, and its CPU. For tests/cli/sql.sh.
function units(text) { gsub(/[^0-9]/, "", text); return text + 0 }
BEGIN { FS = ","; OFMT = CONVFMT = "%.0f" }
/^\[/ {
	start = units($1)
	if ($6 + 0 == 518)
		waker[start " " ($7 + 0)] = ($4 + 0) " " ($3 + 0)
	else if ($6 + 0 >= 768 && $6 + 0 <= 793 && $6 + 0 != 770 && $3 + 0 == -1) {
		ends[++n] = (start + units($2)) " " ($4 + 0)
		long[n] = units($2)
	}
}
END { for (i = 1; i <= n; i++) { split(ends[i], at, " "); print at[2], long[i] * 10, ends[i] in waker ? waker[ends[i]] : "-" } }
