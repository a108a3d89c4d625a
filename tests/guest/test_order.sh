#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 1200
# takes: 1
# needs: patched
#
# In the built module of x86, the probe of an event that another CPU may have caused has a fence
# before it reads the time counter. System calls, page faults and the timer have no fence.
# tests/unit/test_clock_order.c measures the order itself.
. tests/guest/lib.sh
guest_begin order

# Prints "NAME ordered" or "NAME unordered" for each function of $1 that reads the counter or
# records by a call of ku_emit_...(): ordered, if a fence comes first.
readers()
{
	objdump -drw --no-show-raw-insn "$1" | awk '
	/^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name); sub(/\.(part|isra|constprop)\..*/, "", name); fence = done = 0 }
	/\tlfence/ { fence = 1 }
	(/\trdtsc/ || /R_X86_64_P(LT|C)32[ \t]+ku_emit_/) && !done {
		done = 1
		print name, fence ? "ordered" : "unordered"
	}' | sort -u
}

# Checks that the module of $kernel has the functions $2... and that all of them read the counter as
# $1.
are()
{
	local how=$1 name
	shift
	for name; do
		is "$kernel: $name() reads the counter" \
			"$(awk -v name="$name" '$1 == name { print $2 }' "$OUT/$kernel")" "$how"
	done
}

kernel=stock
readers "$KO" >"$OUT/$kernel"
# Before Linux 6.4 kprobes record the sending of IPIs. There ku_ipi_send_mask() has two callers, so the compiler does not
# inline it.
case $KVER in
6.[0-3].*) ipi="ku_ipi_cpu_pre ku_ipi_send_mask" ;;
*) ipi=ku_ipi_send_cpumask ;;
esac
are ordered ku_sched_switch ku_wakeup ku_hook_exec ku_lock_contended ku_lock_end ku_lock_freed \
	$ipi ku_ipi_send_cpu ku_reschedule_entry ku_call_function_entry ku_call_single_entry \
	ku_irq_work_entry ku_call_point ku_session_insert ku_sessions_emit
are unordered ku_sys_enter ku_sys_exit ku_syscall_direct_enter ku_syscall_direct_exit \
	ku_page_fault ku_fault_entry ku_fault_direct_end ku_timer_entry ku_irq_entry ku_softirq_entry

if patched_kernel; then
	kernel=patched
	readers "$KO" >"$OUT/$kernel"
	are ordered ku_static_sched_switch ku_static_wakeup ku_static_lock ku_static_packet_rx ku_static_packet_tx ku_static_ipi \
		ku_static_idle_exit ku_static_irq_enter ku_call_point ku_session_insert ku_sessions_emit
	are unordered ku_static_syscall_enter ku_static_syscall_enter_fast ku_static_syscall_exit \
		ku_static_syscall_enter_dual ku_static_trap_enter ku_static_device_enter
else
	fail "the patched kernel is built" "kernel-patches/build.sh failed"
fi
tap_end
