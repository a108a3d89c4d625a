# SPDX-License-Identifier: BSD-3-Clause
#
# Splits each merged call of event text (of rawtoevent) into a call and a return, for
# tests/cli/ctftoevent.sh. The return comes DUR later, or with the next event of the CPU if that is
# earlier, as rawtoctf writes it. Omits all lines that are not events. If the merged call has a byte of
# counter bits, the call gets the low half of the byte and the return the high half.
#
#	100 20 2087 0  51 0  9 51 18 getpid (827)
#	becomes	100 0 2087 0  51 0  9 0 2 getpid (827)
#		120 0 2599 0  51 0  0 51 1 /getpid (a27)
BEGIN { OFMT = CONVFMT = "%.0f" }
function put(cpu) {
	if (cpu in due)
		print due_ts[cpu] due[cpu]
	delete due[cpu]
}
/^#/ || !/ \([0-9a-f]*\)$/ || !($3 >= 512 || $3 == 265) || $1 < 0 { next }
{
	if ($4 in due && due_ts[$4] > $1)
		due_ts[$4] = $1
	put($4)
	if ($3 < 1024 || !$2) {
		print
		next
	}
	name = $0
	sub(/^([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)([^ ]+ +)/, "", name)
	sub(/ \([0-9a-f]*\)$/, "", name)
	printf "%s 0 %d %s  %s %s  %s 0 %d %s (%03x)\n", $1, $3, $4, $5, $6, $7, $9 % 16, name, $3
	due_ts[$4] = $1 + $2
	due[$4] = sprintf(" 0 %d %s  %s %s  0 %s %d /%s (%03x)", $3 + 512, $4, $5, $6, $8, int($9 / 16),
		$3 == 1535 ? "BH" : name, $3 + 512)
}
END { for (cpu in due) put(cpu) }
