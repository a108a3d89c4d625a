# SPDX-License-Identifier: BSD-3-Clause
#
# Converts event text (of rawtoevent) to the text that babeltrace2 must print for the same
# trace, for tests/cli/rawtoctf.sh. This is a second implementation of rawtoctf. The output
# lines are
#
#	NANOSECONDS CPU TID NAME { FIELDS }
#
# in any order. The variable counter is ipc, llc or ipc_llc, if the trace has counter bits.

function plain(text) { gsub(/[^A-Za-z0-9]/, "_", text); return text }
function comm(pid, cpu)
{
	if (pid == 0)
		return "swapper/" cpu
	return pid in task ? task[pid] : "pid" pid
}
function ret(value) { return value >= 61441 ? value - 65536 : value }
function say(ns, cpu, tid, count, text)
{
	print ns, cpu, tid, (counter != "" ? counter "=" count " " : "") text
}
# returns the text for line i, a call or its return
function call(i, code, back, value, name,    kind, n)
{
	kind = back ? "exit" : "entry"
	n = code % 256
	if (code == 1535)
		return "irq_softirq_" kind " { vec = " (back ? arg[cpu[i], n] : value) " }"
	if (code == 3583)
		return "kutrace_sched_" kind (back ? " { ret = " ret(value) " }" : " { arg0 = " value " }")
	if (code >= 2048)
		return (code >= 3072 ? "compat_" : "") "syscall_" kind "_" plain(name) \
			(back ? " { ret = " ret(value) " }" : " { arg0 = " value " }")
	if (code < 1280)
		return "kutrace_trap_" kind "_" plain(name) " { trap = " n \
			(back ? ", ret = " ret(value) " }" : ", arg0 = " value " }")
	if (name in vector)
		return "x86_irq_vectors_" vector[name] "_" kind " { vector = " n " }"
	if (back)
		return "irq_handler_exit { irq = " arg[cpu[i], n] + 0 ", ret = " ret(value) ", number = " n " }"
	return "irq_handler_entry { irq = " value ", name = \"" name "\", number = " n " }"
}
BEGIN {
	OFMT = CONVFMT = "%.0f"
	split("local_timer irq_work_ipi:irq_work x86_platform_ipi call_function_single_ipi:call_function_single " \
		"call_function_ipi:call_function reschedule_ipi:reschedule error_apic spurious_apic " \
		"deferred_error:deferred_error_apic threshold_apic thermal_apic", list, " ")
	for (i in list) {
		n = split(list[i], pair, ":")
		vector[pair[1]] = pair[n]
	}
	labels = "rpc_request rpc_response rpc_middle rpc_rx_msg rpc_tx_msg - sendipi - - mark_a mark_b mark_c " \
		"mark_d - - lock_try lock_acquired lock_freed - rx_packet tx_packet rx_user tx_user mbit_sec " \
		"resource enqueue dequeue - - monitor_store monitor_exit"
	n = split(labels, list, " ")
	for (i = 1; i <= n; i++)
		if (list[i] != "-")
			label[512 + i] = list[i]
	label[640] = "pc"
	label[641] = "pc_kernel"
}
/^#/ { next }
{
	lines++
	line[lines] = $0
	ts[lines] = $1
	event[lines] = $3
	if ($0 ~ / \([0-9a-f]*\)$/ && $3 >= 512 || $3 == 265) {
		cpu[lines] = $4
		pid[lines] = $5
	} else {
		cpu[lines] = -1		# a name
	}
}
END {
	for (i = 1; i <= lines; i++) {
		if (cpu[i] < 0)
			continue
		split(line[i], f, " ")
		if (f[3] == 512 && !f[2])
			left[i] = cpu[i] in now ? now[cpu[i]] : -1
		if (f[3] == 531)
			exits[f[7]] = i
		now[cpu[i]] = pid[i]
	}
	delete now
	# Goes backwards: the output for a line depends on the next event of its CPU, and on the next
	# event of the task that leaves the CPU.
	for (i = lines; i > 0; i--) {
		if (cpu[i] < 0)
			continue
		split(line[i], f, " ")
		later[i] = cpu[i] in upcoming ? upcoming[cpu[i]] : ""
		upcoming[cpu[i]] = ts[i]
		if (f[3] == 518)
			fate[f[7]] = 1
		if (f[3] == 512 && !f[2]) {
			to = f[7]
			if (left[i] > 0)
				state[i] = left[i] == to ? 0 : left[i] in fate ? fate[left[i]] : exits[left[i]] && exits[left[i]] < i ? 16 : 1
			fate[to] = 0
		}
	}
	for (i = 1; i <= lines; i++) {
		n = split(line[i], f, " ")
		if (cpu[i] < 0) {
			text = line[i]
			for (k = 0; k < 4; k++)
				sub(/^[^ ]+ /, "", text)
			# only names of pids: event number 0x0N2, with the length N
			if (f[3] % 16 != 2 || f[3] >= 256 || f[1] < 0 && f[4] in task)
				continue
			old = comm(f[4], 0)
			task[f[4]] = substr(text, 1, 15)
			# the CPU of the renaming is unknown, so use the CPU of the previous event
			if (f[1] >= 0 && begun && f[4] && old != task[f[4]])
				say(f[1] * 10, cpu[last], runs[cpu[last]], 0, "task_rename { tid = " f[4] \
					", oldcomm = \"" old "\", newcomm = \"" task[f[4]] "\" }")
			continue
		}
		if (!begun++)
			for (p in task)
				if (p != 0)
					say(ts[i] * 10, cpu[i], pid[i], 0, "lttng_statedump_process_state { tid = " p ", pid = " p \
						", ppid = 0, name = \"" task[p] "\", type = 0, mode = 0, submode = 0, status = 0, cpu = 0 }")
		name = line[i]
		for (k = 0; k < 9; k++)
			sub(/^[^ ]+ +/, "", name)
		sub(/ \([0-9a-f]*\)$/, "", name)
		last = i
		runs[cpu[i]] = pid[i]
		ns = ts[i] * 10
		code = f[3]
		ipc = f[9]
		if (code >= 1024 && int(code / 512) % 2 == 0) {
			say(ns, cpu[i], pid[i], f[2] ? ipc % 16 : ipc, call(i, code, 0, f[7], name))
			arg[cpu[i], code % 256] = f[7]
			if (f[2]) {
				end = ts[i] + f[2]
				if (later[i] != "" && later[i] + 0 < end)
					end = later[i]
				say(end * 10, cpu[i], pid[i], int(ipc / 16), call(i, code, 1, f[8], name))
			}
		} else if (code >= 1024) {
			sub(/^\//, "", name)
			say(ns, cpu[i], pid[i], ipc, call(i, code - 512, 1, f[8], name))
		} else if (code == 512 && f[2]) {
			say(ns, cpu[i], pid[i], ipc, "kutrace_runs { comm = \"" comm(pid[i], cpu[i]) "\", tid = " pid[i] " }")
		} else if (code == 512) {
			say(ns, cpu[i], left[i], ipc, "sched_switch { prev_comm = \"" comm(left[i], cpu[i]) "\", prev_tid = " left[i] \
				", prev_prio = 20, prev_state = " state[i] + 0 ", next_comm = \"" comm(f[7], cpu[i]) \
				"\", next_tid = " f[7] ", next_prio = 20 }")
			ran[f[7]] = cpu[i]
		} else if (code == 518) {
			say(ns, cpu[i], pid[i], ipc, "sched_waking { comm = \"" comm(f[7], cpu[i]) "\", tid = " f[7] \
				", prio = 20, target_cpu = " (f[7] in ran ? ran[f[7]] : cpu[i]) " }")
		} else if (code == 531) {
			say(ns, cpu[i], pid[i], ipc, "sched_process_exit { comm = \"" comm(f[7], cpu[i]) "\", tid = " f[7] ", prio = 20 }")
		} else if (code == 520) {
			say(ns, cpu[i], pid[i], ipc, "power_cpu_idle { state = " f[7] ", cpu_id = " cpu[i] " }")
		} else if (code == 521 || code == 540) {
			say(ns, cpu[i], pid[i], ipc, "power_cpu_frequency { state = " f[7] * 1000 ", cpu_id = " cpu[i] \
				", sampled = " (code == 521) " }")
		} else {
			text = code == 265 ? "point" : code in label ? label[code] : sprintf("event_%03x", code)
			say(ns, cpu[i], pid[i], ipc, "kutrace_" text " { arg = " f[7] ", name = \"" name "\" }")
		}
	}
}
