# SPDX-License-Identifier: BSD-3-Clause
#
# Prints the plan of a round of `make stress`: all random choices, from a seed and the round's
# number. The same two numbers give the same plan, with any awk and on any machine.
#
#	awk -v seed=N -v round=N -v tenths=N -v kernels="..." -v cpus="..." -v classes="..." -f plan.awk /dev/null
#
# tenths is the approximate time of all actions, in tenths of a second. Prints shell assignments, and
# lines "action ...". Draw a newly added choice after all others, so that a seed still gives the same
# other choices.

# Returns a random number below n. Does not use rand(), which differs between awks. Products stay
# below 2^53, so doubles hold them exactly.
function draw(n)
{
	state = (state * 16807) % 2147483647
	return int(state / 2147483647 * n)
}

function one_of(list,    a, n)
{
	n = split(list, a, " ")
	return a[1 + draw(n)]
}

# Returns the options of stress-ng for a class of workloads. The patched and debug kernels have no
# System V semaphores.
function workload(class, n)
{
	if (class == "cpu") return "--cpu " n " --cpu-load 80"
	if (class == "fork") return "--fork " n " --vfork 1 --exec 1"
	if (class == "futex") return "--futex " n " --sem 1" (kernel ~ /^stock/ ? " --sem-sysv 1" : "")
	if (class == "pipe") return "--pipe " n " --fifo 1 --eventfd 1"
	if (class == "fault") return "--fault " n " --vm 1 --vm-bytes 24M --mmap 1 --mmap-bytes 8M"
	if (class == "signal") return "--signest 1 --sigq " n " --kill 1 --sigrt 1"
	if (class == "timer") return "--timer " n " --timerfd 1 --itimer 1 --nanosleep 1"
	if (class == "network") return "--sock " n " --udp 1 --sockpair 1"
	if (class == "interrupt") return "--tlb-shootdown " n " --membarrier 1 --switch 1"
	if (class == "hrtimer") return "--hrtimers 1 --cyclic 1 --clock " n
	return ""
}

BEGIN {
	# Each round uses its own part of one sequence. If the rounds' first states had a constant
	# difference, their choices would have one too: a kernel would always come with the same
	# number of CPUs.
	state = (seed * 48271 + 69622) % 2147483647
	for (i = 0; i < 20 + (round - 1) * 1000; i++)
		draw(2)
	kernel = one_of(kernels)
	ncpus = one_of(cpus)
	if (kernel !~ /^stock/ && ncpus > 8)
		ncpus = 8
	class = one_of(classes)
	workers = 1 + draw(ncpus < 4 ? ncpus : 4)
	printf "KERNEL='%s'\nCPUS=%d\nCLASS=%s\nWORKLOAD='%s'\n", kernel, ncpus, class, workload(class, workers)
	printf "KIND=%s\n", kernel ~ /^stock/ ? "stock" : "patched"

	fails = ""
	for (i = draw(2) ? 3 : 0; i > 0; i--)
		fails = fails (fails == "" ? "" : " ") 1 + draw(90)
	printf "FAIL_AT='%s'\nRELOADS=%d\nRELOAD_PAUSE=%d\n", kernel ~ /^stock/ ? fails : "", draw(2) * (1 + draw(4)), draw(300)
	# Small buffers become full, so that events are lost or overwritten.
	printf "MB=%d\nCONSERVE=%s\nCONSERVE_TENTHS=%d\n", one_of("4 16 32 32"), one_of("hammer nmis"), 10 + draw(25)
	printf "NMIS=%d\nNMI_PAUSE=%d\n", draw(2), 100 + draw(900)

	while (spent < tenths) {
		what = one_of("snapshot session three mask filter trigger gostop stream killed " \
			"hotplug hotplug kprobes kprobes memory rest")
		if (what == "hotplug" && ncpus < 2)
			continue
		if (what == "session" && draw(4) == 0)
			what = "session --wrap"
		if (what == "stream")
			what = what " " one_of("TERM KILL HUP")
		if (what == "hotplug")
			what = what " " 1 + draw(ncpus - 1) " " draw(4)
		if (what == "kprobes")
			what = what " " draw(31)
		if (what == "memory")
			what = what " " one_of("64 400 4000")
		if (what == "rest")
			what = what " " 1 + draw(10)
		print "action " what
		spent += 6
	}
	# Parameters of the module. Direct hooks of system calls exist on x86-64 up to Linux 6.12.
	direct = draw(3) == 0 && kernel ~ /^stock(-6\.(1|12))?(-(cloud|generic|rt))?(@[a-z-]*)?$/
	printf "PARAMETERS=%s\n", direct ? "syscalls=direct" : ""
}
