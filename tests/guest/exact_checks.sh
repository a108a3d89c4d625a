# SPDX-License-Identifier: BSD-3-Clause
#
# Holds a trace against the kernel's own counters, exactly: kutrace_test.ko reads
# them all at one instant, with every CPU standing still, and marks that instant in
# the trace. The patched kernel has that module; for a stock one it is built here.
# Sourced by the tests of both; lib.sh must be there.
#
#	exact_module KDIR KVER KSUITE	builds the stock kernel's kutrace_test.ko, as
#				kernel.sh says which kernel: sets TEST_KO. 1: it cannot, or
#				the compiler warns
#	exact_counts LABEL EVENTS READINGS	every counter in READINGS (lines WHEN CPU
#				WHAT VALUE, WHEN first or last) grew by what the events
#				show between the two marks; a test for each that grew,
#				but for those whose WHAT is in the rest of the arguments.
#				What may differ, and why, is at exact_table
#	exact_grew LABEL WORKLOAD CPUS READINGS	of exact_counts before: what that workload
#				of exact.c makes, the kernel has counted
#	exact_calls LABEL EVENTS READINGS	likewise each system call that the
#				workload says it made ("made - NUMBER COUNT")

exact_module()
{
	_dir=$BUILD/module/$2/exact
	TEST_KO=$_dir/kutrace_test.ko
	mkdir -p "$_dir"
	tests/guest/built.sh "$1" "$2" "$BUILD" "$3" tests/guest/module/exact >"$_dir.log" 2>&1 ||
		{ tail -n 5 "$_dir.log" >&2; return 1; }
	! grep -E 'warning|error:' "$_dir.log" >&2
}

# Prints WHAT CPU GREW LOW HIGH for every counter, from the readings and the events: by
# how much it grew, and what the trace must show for that. LOW and HIGH are the same but where
# the kernel counts and tells in two steps and can be stopped in between:
#
#	page faults	count somewhere between where they are seen to begin and to end. So one
#			that is under way at a mark, by the trace, may be on either side of it.
#	softirqs	with PREEMPT_RT: a thread counts, and then tells; another may run in
#			between. One thread of a CPU is in softirqs at a time: one at each mark.
#	processes	are not read at the instant, but on either side of it.
#
# A stock kernel tells of two kinds otherwise than it counts them: of each handler that an
# interrupt's line has ("actions"), and of each handler that was asked about an NMI, with
# whether it was its. A kernel with the tracepoints nmi_entry and device_interrupt_entry shows each
# NMI and each interrupt once ("nmi.whole", "actions"). Page faults that a kernel refuses it tells,
# and does not count ("refused"): the module counts these from when it is told to.
exact_table()
{
	awk '
	BEGIN { by = 529 }
	FNR == 1 { file++ }
	file == 1 {
		if ($1 == "first" || $1 == "last")
			value[$1, $2 " " $3] = $4
		if ($3 == "mark")
			mark[$1] = $4
		if ($3 == "mark.event")
			by = $4
		if ($3 == "preempt_rt")
			rt = $4
		if ($3 == "nmi.whole")
			whole = $4
		if ($1 == "last" && $3 !~ /^(mark|preempt_rt|refused)$/ &&
		    $3 !~ /^(mark|lock|hash|freq|task|processes|actions|nmi)\./)
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
	# The mark of the readings, on each CPU: lock "acquired", or a frequency.
	$3 == by && $7 == mark["first"] { on[cpu] = 1; if (!marks++) under_way("first"); next }
	$3 == by && $7 == mark["last"] { on[cpu] = 0; if (!over++) under_way("last"); next }
	{ was = running[cpu] }
	$3 == 512 { running[cpu] = $7 }
	# The call and its return in one, or two; and who makes a system call is in no fault any more.
	$3 == 1038 { if ($2 > 1) delete fault[$5]; else fault[$5] = 1 }
	$3 == 1550 || ($3 >= 2048 && $3 < 2560) { delete fault[$5] }
	!on[cpu] { next }
	$3 == 512 { ctxt++; if (was == me) out++; next }
	$3 == 520 { idle[cpu, $7]++; next }
	# To be tried again, as its return says, merged or not: another one, of which is counted only the last.
	$3 == 1550 && $8 == 1 || $3 == 1038 && $2 > 1 && $8 == 1 {
		if ($3 == 1550) {
			faults--
			if ($5 == me)
				mine--
		}
		next
	}
	$3 == 1038 { faults++; if ($5 == me) mine++; next }
	$3 == 1535 { softirq[cpu, $7]++; next }
	by == 540 && !whole && ($3 == 1282 || $3 == 1794) {
		asked[cpu] += $3 == 1282
		irqs[cpu, 2] += $8 != 0
		next
	}
	$3 >= 1280 && $3 < 1535 {
		vector = $3 - 1280
		if ($7 && !(vector == 239 && $7 >= 236))
			irq[$7]++
		else if (vector == 239)
			irqs[cpu, 240]++	# a vector that is nobody'"'"'s
		else
			irqs[cpu, vector]++
	}
	function under_way(when,    pid) {
		for (pid in fault)
			open[when]++
		mine_open[when] = me in fault
	}
	function grown(key) { return value["last", key] - value["first", key] }
	# The counter may have grown by so many fewer or more than the trace shows.
	function row(name, cpu, grew, traced, fewer, more) {
		if (!grew && !traced)
			fewer = more = 0
		print name, cpu, grew, traced - fewer, traced + more
	}
	END {
		if (!marks || marks != over) {
			print "marks", "-", -1, marks + 0, over + 0
			exit
		}
		split("NMI 2 LOC 236 TBC 247 SPU 240 PIW 241 PIN 242 DFR 244 NPI 245 IWI 246 PLT 247 " \
			"THR 249 TRM 250 RES 253", list, " ")
		for (i = 1; i in list; i += 2)
			number[list[i]] = list[i + 1]
		for (i = 1; i <= n; i++) {
			split(what[i], part, " ")
			cpu = part[1]
			name = part[2]
			split(name, sub_, ".")
			grew = grown(what[i])
			traced = "unknown"
			fewer = more = 0
			if (name == "ctxt") traced = ctxt
			else if (name == "pgfault") {
				traced = faults
				grew += grown("- refused")
				fewer = open["last"]
				more = open["first"]
			} else if (name == "processes") {
				# A kernel thread may come between the two.
				traced = forks + 0
				low = value["last", what[i]] - value["first", "- processes.behind"]
				high = value["last", "- processes.behind"] - value["first", what[i]]
				grew = traced < low ? low : traced > high ? high : traced
			}
			else if (name == "CAL") traced = irqs[cpu, 251] + irqs[cpu, 252]
			else if (name in number) traced = irqs[cpu, number[name]]
			else if (sub_[1] == "softirq") {
				traced = softirq[cpu, sub_[2]]
				fewer = more = rt + 0
			}
			else if (sub_[1] == "idle") traced = idle[cpu, sub_[2]]
			else if (sub_[1] == "irq") {
				traced = irq[sub_[2]]
				if (("last", "- actions." sub_[2]) in value)
					grew *= value["last", "- actions." sub_[2]]
			}
			row(name, cpu, grew, traced, fewer, more)
			# Every NMI is for each handler to say whether it is its.
			if (name == "NMI" && by == 540 && !whole && grew)
				row("NMI.asked", cpu, grew * int(asked[cpu] / grew), asked[cpu], 0, 0)
		}
		if (me) {
			grew = grown("- task.nvcsw") + grown("- task.nivcsw")
			row("task.switches", "-", grew, out, 0, 0)
			grew = grown("- task.minflt") + grown("- task.majflt") + grown("- task.refused")
			row("task.faults", "-", grew, mine, mine_open["last"], mine_open["first"])
		}
	}' "$2" "$1"
}

exact_counts()
{
	exact_table "$2" "$3" | awk -v "not=$4 $5 $6" 'index(" " not " ", " " $1 " ") == 0' \
		>"$TAP_TMP/exact"
	_quiet=0
	while read -r _what _cpu _grew _low _high; do
		if [ "$_grew$_low$_high" = 000 ]; then
			_quiet=$((_quiet + 1))
			continue
		fi
		[ "$_cpu" = - ] && _where= || _where=" on CPU $_cpu"
		_name="$1: $_what$_where grew by what the trace shows ($_grew)"
		if [ "$_low" = "$_high" ]; then
			is "$_name" "$_low" "$_grew"
		else
			between "$_name, or what was under way at the marks" "$_grew" "$_low" "$_high"
		fi
	done <"$TAP_TMP/exact"
	# That so much stood still is no proof of anything.
	between "$1: counters that grew" "$(($(wc -l <"$TAP_TMP/exact") - _quiet))" 5 1000
}

exact_grew()
{
	_label=$1
	case $2 in
	calls) _whats="pgfault task.faults" ;;
	tasks) _whats="ctxt task.switches processes" ;;
	devices)
		_whats="softirq.0 softirq.1 softirq.2 softirq.3 softirq.4 softirq.5 softirq.6
			softirq.7 softirq.8 irq IWI idle"
		# Vectors, which only x86 has.
		[ -n "$KARCH" ] || _whats="$_whats LOC NMI PLT"
		[ "$3" = 1 ] || _whats="$_whats CAL"
		# With PREEMPT_RT that one is a thread.
		grep -q '^first - preempt_rt 1' "$4" || _whats="$_whats softirq.9"
		;;
	esac
	for _what in $_whats; do
		between "$_label: $_what: the kernel counted some" "$(awk -v what="$_what" '
			$1 == what || index($1, what ".") == 1 { n += $3 }
			END { print n + 0 }' "$TAP_TMP/exact")" 1 100000000
	done
}

exact_calls()
{
	awk '
	BEGIN { by = 529 }
	FNR == 1 { file++ }
	file == 1 {
		if ($3 == "mark") mark[$1] = $4
		if ($3 == "mark.event") by = $4
		if ($1 == "made") made[$3] = $4
		if ($1 == "pid") pid[$3] = 1
		next
	}
	/^#/ || $3 < 512 { next }
	$3 == by && $7 == mark["first"] { on = 1; next }
	$3 == by && $7 == mark["last"] { exit }
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
