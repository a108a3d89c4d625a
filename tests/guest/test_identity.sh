#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
# takes: 60
# also: identity_6_12 KERNEL=stock-6.12
# also: identity_7_2 KERNEL=stock-7.2
#
# Records processes and threads that the program identity makes: by fork, by exec, by exec in a thread, in another
# cgroup, in a new pid namespace, and three with the same pid one after the other. For each of them, process, parent, pid
# in its own namespace, cgroup and start time in the trace equal what /proc showed to it. So do the identities of tasks
# that existed before the recording.
. tests/guest/lib.sh
guest_begin identity

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
mkdir -p /sys/fs/cgroup
must mount -t cgroup2 none /sys/fs/cgroup
must mkdir /sys/fs/cgroup/box /sys/fs/cgroup/box/in
stat -c %i /sys/fs/cgroup/box/in >/out/cgroup
must insmod /lib/kutrace.ko
# a task that exists before the recording, until a line is in the pipe
mkfifo /tmp/go
identity waits </tmp/go >/out/present &
exec 3>/tmp/go
while ! grep -q present /out/present; do usleep 10000; done
must kutrace_control go
must identity /sys/fs/cgroup/box/in >/out/witness
echo >&3
wait
must kutrace_control stop /out/identity.trace
must rmmod kutrace
SCRIPT

# Prints each record as the witness does, without the name, then the record's reason and the pid before exec.
identities()	# EVENTS
{
	event_awk '
	function hex(text,	i, n) {
		for (i = 1; i <= length(text); i++)
			n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
		return n + 0
	}
	!/^#/ && $1 >= 0 && $3 < EV_FIRST && int($3 / 256) * 256 + $3 % 16 == EV_TASK {
		split("", f)
		for (i = 6; i <= NF; i++)
			f[substr($i, 1, 1)] = substr($i, 2)
		split("n" in f ? f["n"] : ".", own, ".")
		print $4, "process", "g" in f ? hex(f["g"]) : $4, "parent", hex(f["p"]), "own", own[1] == "" ? $4 : hex(own[1]), "level", hex(own[2]),
			"cgroup", hex(f["c"]), "start", int(hex(f["s"]) / 10000000), $5, "o" in f ? hex(f["o"]) : 0
	}' "$1"
}

if guest_run "$TAP_TMP/script" --cpus 2 --file "$GUEST_BIN/identity"; then
	trace_ok "identities" "$OUT/identity.trace"
	trace_text "$OUT/identity.trace"
	identities "$OUT/identity.trace.events" >"$TAP_TMP/records"
	id=$(cat "$OUT/cgroup")
	cat "$OUT/present" "$OUT/witness" | sed "s|cgroup /box/in|cgroup $id|; s|cgroup / |cgroup 1 |" >"$TAP_TMP/witness"
	is "the witness has all tasks" "$(awk '$1 == "task" { print $2 }' "$TAP_TMP/witness" | sort | tr '\n' ' ')" \
		"along before chain executed forked forked forked init leader maker moved present thread "
	while read -r _ name what; do
		case $name in
		# The process moved with all its threads: the thread's own record is older, and the process has the move.
		along)
			like "$name: the identity of its birth" "$(cut -d' ' -f1-13 "$TAP_TMP/records")" "${what%% cgroup*} cgroup 1 start ${what##* }"
			like "$name: the move of its process" "$(awk '$14 == "g"' "$TAP_TMP/records")" " cgroup $id start "
			;;
		*)
			is "$name: the trace has what /proc showed" \
				"$(cut -d' ' -f1-13 "$TAP_TMP/records" | grep -Fx "$what" | sort -u)" "$what"
			;;
		esac
	done <<-EOF
	$(grep '^task' "$TAP_TMP/witness")
	EOF
	zombie=$(awk '$1 == "zombie" { print $2 }' "$OUT/witness")
	is "a process that has exited does not move" "$(awk -v pid="$zombie" '$1 == pid { print $14 }' "$TAP_TMP/records")" f
	pid=$(awk '$2 == "forked" { print $3; exit }' "$TAP_TMP/witness")
	is "the owners of the pid that was used three times" "$(awk -v pid="$pid" '$1 == pid && $14 == "f" { print $13 }' "$TAP_TMP/records" | wc -l)" 3
	is "the same pid, other starts: the trace tells its owners apart" "$(grep "^$pid " "$TAP_TMP/records" | cut -d' ' -f13 | sort -u | wc -l)" \
		"$(awk '$2 == "forked" { print $NF }' "$TAP_TMP/witness" | sort -u | wc -l)"
	is "the thread that got the pid of its process by exec" "$(awk '$15' "$TAP_TMP/records" | cut -d' ' -f1,14,15)" \
		"$(awk '$2 == "leader" && $1 == "task" { pid = $3 } $1 == "before" { tid = $3 } END { print pid, "x", tid }' "$OUT/witness")"
	like "spantowhy names the cgroup and the parent" "$("$BUILD/bin/spantowhy" --pid "$(awk '$2 == "moved" { print $3 }' "$TAP_TMP/witness")" "$OUT/identity.trace.json")" \
		": process, parent [0-9]*, cgroup /box/in"
	init=$(awk '$2 == "init" { print $3 }' "$TAP_TMP/witness")
	like "spantowhy names the pid in the namespace" "$("$BUILD/bin/spantowhy" --pid "$init" "$OUT/identity.trace.json")" \
		": process, parent [0-9]*, pid 1 in its own namespace, cgroup /box/in"
	"$BUILD/bin/rawtosqlite" -o "$TAP_TMP/db" "$OUT/identity.trace" 2>/dev/null
	is "SQL: the container's pid 1" "$(sqlite3 "$TAP_TMP/db" "select tid, what, ns_level, cgroup from task where ns_tid = 1 and what = 'exec'")" \
		"$init|exec|1|/box/in"
fi
tap_end
