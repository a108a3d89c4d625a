# SPDX-License-Identifier: BSD-3-Clause
#
# Holds a trace of the patched kernel against the kernel's own counters, exactly:
# kutrace_test.ko reads them all at one instant, with every CPU standing still, and
# marks that instant in the trace. Sourced by the tests of the patched kernel;
# lib.sh must be there.
#
#	exact_counts LABEL EVENTS READINGS	every counter in READINGS (lines WHEN CPU
#				WHAT VALUE, WHEN first or last) grew by what the events
#				show between the two marks; a test for each that grew,
#				but for those whose WHAT is in the rest of the arguments
#	exact_calls LABEL EVENTS READINGS	likewise each system call that the
#				workload says it made ("made - NUMBER COUNT")

# Prints WHAT CPU GREW TRACED for every counter, from the readings and the events.
exact_table()
{
	awk '
	FNR == 1 { file++ }
	file == 1 {
		if ($1 == "first" || $1 == "last")
			value[$1, $2 " " $3] = $4
		if ($3 == "mark")
			mark[$1] = $4
		if ($1 == "last" && $3 != "mark" && $3 !~ /^(lock|hash|freq|task|processes)\./)
			what[++n] = $2 " " $3
		if ($1 == "last" && $3 ~ /^task\./)
			task[$3] = 1
		if ($1 == "pid" && !me)
			me = $3
		next
	}
	/^#/ { next }
	# A name: of a pid that is new when it comes for the first time.
	$3 < 512 {
		if ($3 % 16 == 2 && $1 >= 0 && !($4 in known)) {
			known[$4] = 1
			if (marks && !over)
				forks++
		}
		next
	}
	{ cpu = $4 }
	# Lock "acquired": the mark of the readings, on each CPU.
	$3 == 529 && $7 == mark["first"] { on[cpu] = 1; marks++; next }
	$3 == 529 && $7 == mark["last"] { on[cpu] = 0; over++; next }
	{ was = running[cpu] }
	$3 == 512 { running[cpu] = $7 }
	!on[cpu] { next }
	$3 == 512 { ctxt++; if (was == me) out++; next }
	$3 == 520 { idle[cpu, $7]++; next }
	$3 == 1038 { faults++; if ($5 == me) mine++; next }
	$3 == 1535 { softirq[cpu, $7]++; next }
	$3 >= 1280 && $3 < 1535 {
		vector = $3 - 1280
		if ($7 && !(vector == 239 && $7 >= 236))
			irq[$7]++
		else if (vector == 239)
			irqs[cpu, 240]++	# a vector that is nobody'"'"'s
		else
			irqs[cpu, vector]++
	}
	END {
		if (!marks || marks != over) {
			print "marks", "-", marks + 0, over + 0
			exit
		}
		split("NMI 2 LOC 236 SPU 240 PIW 241 PIN 242 DFR 244 NPI 245 IWI 246 PLT 247 " \
			"THR 249 TRM 250 RES 253", list, " ")
		for (i = 1; i in list; i += 2)
			number[list[i]] = list[i + 1]
		for (i = 1; i <= n; i++) {
			split(what[i], part, " ")
			cpu = part[1]
			name = part[2]
			split(name, sub_, ".")
			grew = value["last", what[i]] - value["first", what[i]]
			traced = "unknown"
			if (name == "ctxt") traced = ctxt
			else if (name == "pgfault") traced = faults
			else if (name == "processes") {
				# Read on either side of the instant: a kernel thread may come
				# between the two, so it is what it can have been.
				traced = forks + 0
				low = value["last", what[i]] - value["first", "- processes.behind"]
				high = value["last", "- processes.behind"] - value["first", what[i]]
				grew = traced < low ? low : traced > high ? high : traced
			}
			else if (name == "CAL") traced = irqs[cpu, 251] + irqs[cpu, 252]
			else if (name in number) traced = irqs[cpu, number[name]]
			else if (sub_[1] == "softirq") traced = softirq[cpu, sub_[2]]
			else if (sub_[1] == "idle") traced = idle[cpu, sub_[2]]
			else if (sub_[1] == "irq") traced = irq[sub_[2]]
			print name, cpu, grew, traced + 0
		}
		if (me) {
			grew = value["last", "- task.nvcsw"] + value["last", "- task.nivcsw"] - \
				value["first", "- task.nvcsw"] - value["first", "- task.nivcsw"]
			print "task.switches", "-", grew, out + 0
			grew = value["last", "- task.minflt"] + value["last", "- task.majflt"] - \
				value["first", "- task.minflt"] - value["first", "- task.majflt"]
			print "task.faults", "-", grew, mine + 0
		}
	}' "$2" "$1"
}

exact_counts()
{
	exact_table "$2" "$3" | awk -v "not=$4 $5 $6" 'index(" " not " ", " " $1 " ") == 0' \
		>"$TAP_TMP/exact"
	_quiet=0
	while read -r _what _cpu _grew _traced; do
		if [ "$_grew" = 0 ] && [ "$_traced" = 0 ]; then
			_quiet=$((_quiet + 1))
			continue
		fi
		[ "$_cpu" = - ] && _where= || _where=" on CPU $_cpu"
		is "$1: $_what$_where grew by what the trace shows ($_grew)" "$_traced" "$_grew"
	done <"$TAP_TMP/exact"
	# That so much stood still is no proof of anything.
	between "$1: counters that grew" "$(($(wc -l <"$TAP_TMP/exact") - _quiet))" 5 1000
}

exact_calls()
{
	awk '
	FNR == 1 { file++ }
	file == 1 {
		if ($3 == "mark") mark[$1] = $4
		if ($1 == "made") made[$3] = $4
		if ($1 == "pid") pid[$3] = 1
		next
	}
	/^#/ || $3 < 512 { next }
	$3 == 529 && $7 == mark["first"] { on = 1; next }
	$3 == 529 && $7 == mark["last"] { exit }
	on && $3 >= 2048 && $3 < 2560 && ($5 in pid) { seen[$3 - 2048]++ }
	END {
		for (i in made) print i, made[i], seen[i] + 0
		for (i in seen) if (!(i in made)) print i, 0, seen[i]
	}' "$3" "$2" | sort -n >"$TAP_TMP/calls"
	while read -r _number _made _seen; do
		is "$1: calls of number $_number are those that were made ($_made)" \
			"$_seen" "$_made"
	done <"$TAP_TMP/calls"
	between "$1: different system calls" "$(wc -l <"$TAP_TMP/calls")" 4 512
}
