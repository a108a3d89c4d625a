# SPDX-License-Identifier: BSD-3-Clause
#
# Compares a trace exactly with the kernel's own counters. kutrace_test.ko reads all counters at one
# instant, while every CPU stands still, and marks that instant in the trace. The patched kernel has
# that module; for a stock kernel, exact_module builds it. Source lib.sh first.
#
#	exact_module KDIR KVER KSUITE	builds kutrace_test.ko of the stock kernel that kernel.sh
#				describes by these variables, and sets TEST_KO. Returns 1 if it cannot
#				be built, or the compiler warns
#	exact_counts LABEL EVENTS READINGS [WHAT]...	checks that every counter in READINGS (lines
#				"WHEN CPU WHAT VALUE", WHEN first or last) grew by what the events
#				show between the two marks. Makes a test for each counter that grew,
#				except those whose WHAT is in the other arguments. exact_table lists
#				what may differ, and why
#	exact_grew LABEL WORKLOAD CPUS READINGS	checks, after exact_counts, that the kernel
#				counted each kind of event that this workload of exact.c makes
#	exact_calls LABEL EVENTS READINGS	checks the number of each system call against
#				the workload's report ("made - NUMBER COUNT")

exact_module()
{
	_dir=$BUILD/module/$2/exact
	TEST_KO=$_dir/kutrace_test.ko
	mkdir -p "$_dir"
	tests/guest/module_build.sh "$1" "$2" "$BUILD" "$3" tests/guest/module/exact >"$_dir.log" 2>&1 ||
		{ tail -n 5 "$_dir.log" >&2; return 1; }
	! grep -E 'warning|error:' "$_dir.log" >&2
}

# Prints WHAT CPU GREW LOW HIGH for every counter. GREW is the growth of the counter by the
# readings; LOW and HIGH are the least and greatest growth that the events allow. LOW and HIGH
# differ only where the kernel can be interrupted after it counts an event and before it calls the
# tracepoint:
#
#	page faults	The kernel counts a fault between its traced beginning and end. So a fault in
#			progress at a mark may be counted before or after the mark.
#	softirqs	With PREEMPT_RT, a thread counts a softirq, and may be preempted before its
#			tracepoint. Only one thread of a CPU runs softirqs at a time, so at most one
#			softirq differs at each mark.
#	processes	are not read at the instant, but before and after it.
#
# For some kinds a stock kernel's tracepoints differ from its counters. An interrupt calls a
# tracepoint for each handler of its line ("actions"). An NMI calls a tracepoint for each handler,
# which shows whether the NMI was for this handler. A kernel with the tracepoints nmi_entry and
# device_interrupt_entry shows each NMI and each interrupt once ("nmi.whole", "actions"). A page
# fault that the kernel refuses is traced but not counted ("refused"): kutrace_test.ko can count
# these.
exact_table()
{
	event_awk '
	BEGIN { by = EV_LOCKACQ }
	FNR == 1 { file++ }
	file == 1 {
		if ($1 == "first" || $1 == "last")
			value[$1, $2 " " $3] = $4
		if ($3 == "mark")
			mark[$1] = $4
		if ($3 == "mark.freq")
			by = EV_PSTATE2
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
	# The first name of a pid shows a new process.
	$3 < EV_FIRST {
		if ($3 % 16 == EV_PID && $1 >= 0 && !($4 in known)) {
			known[$4] = 1
			if (marks && !over)
				forks++
		}
		next
	}
	{ cpu = $4 }
	# The event that marks a reading on each CPU: an acquired lock, or a frequency change.
	$3 == by && $7 == mark["first"] { on[cpu] = 1; if (!marks++) under_way("first"); next }
	$3 == by && $7 == mark["last"] { on[cpu] = 0; if (!over++) under_way("last"); next }
	{ was = running[cpu] }
	$3 == EV_USERPID { running[cpu] = $7 }
	# A fault and its return are one merged event, or two events. A task that makes a system
	# call has left its fault, even if no return shows this.
	$3 == EV_PAGE_FAULT { if ($2 > 1) delete fault[$5]; else fault[$5] = 1 }
	$3 == EV_PAGE_FAULT_RETURN || ($3 >= EV_SYSCALL64 && $3 < EV_SYSCALL64_RETURN) { delete fault[$5] }
	!on[cpu] { next }
	$3 == EV_USERPID { ctxt++; if (was == me) out++; next }
	$3 == EV_MWAIT { idle[cpu, $7]++; next }
	# The return, merged or not, shows that the kernel will repeat the fault. The kernel counts
	# only the last attempt.
	$3 == EV_PAGE_FAULT_RETURN && $8 == 1 || $3 == EV_PAGE_FAULT && $2 > 1 && $8 == 1 {
		if ($3 == EV_PAGE_FAULT_RETURN) {
			faults--
			if ($5 == me)
				mine--
		}
		next
	}
	$3 == EV_PAGE_FAULT { faults++; if ($5 == me) mine++; next }
	$3 == EV_BH { softirq[cpu, $7]++; next }
	by == EV_PSTATE2 && !whole && ($3 == EV_NMI || $3 == EV_NMI_RETURN) {
		asked[cpu] += $3 == EV_NMI
		irqs[cpu, 2] += $8 != 0
		next
	}
	$3 >= EV_IRQ && $3 < EV_BH {
		vector = $3 - EV_IRQ
		if ($7 && !(vector == 239 && $7 >= 236))
			irq[$7]++
		else if (vector == 239)
			irqs[cpu, 240]++	# a vector that has no owner
		else
			irqs[cpu, vector]++
	}
	function under_way(when,    pid) {
		for (pid in fault)
			open[when]++
		mine_open[when] = me in fault
	}
	function grown(key) { return value["last", key] - value["first", key] }
	# The counter may grow by up to @fewer less, or @more more, than the traced number of
	# events.
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
				# A kernel thread may be created between the two readings.
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
			# The kernel calls each handler for every NMI.
			if (name == "NMI" && by == EV_PSTATE2 && !whole && grew)
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
			between "$_name, or by events in progress at the marks" "$_grew" "$_low" "$_high"
		fi
	done <"$TAP_TMP/exact"
	# Counters that did not change prove nothing, so some must have grown.
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
		# Vectors exist only on x86.
		[ -n "$KARCH" ] || _whats="$_whats LOC NMI PLT"
		[ "$3" = 1 ] || _whats="$_whats CAL"
		# With PREEMPT_RT softirq 9 is a thread.
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
	event_awk '
	BEGIN { by = EV_LOCKACQ }
	FNR == 1 { file++ }
	file == 1 {
		if ($3 == "mark") mark[$1] = $4
		if ($3 == "mark.freq") by = EV_PSTATE2
		if ($1 == "made") made[$3] = $4
		if ($1 == "pid") pid[$3] = 1
		next
	}
	/^#/ || $3 < EV_FIRST { next }
	$3 == by && $7 == mark["first"] { on = 1; next }
	$3 == by && $7 == mark["last"] { exit }
	on && $3 >= EV_SYSCALL64 && $3 < EV_SYSCALL64_RETURN && ($5 in pid) { seen[$3 - EV_SYSCALL64]++ }
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
