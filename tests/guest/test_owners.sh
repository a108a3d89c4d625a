#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 300
# takes: 10
#
# Members of the group cannot end, change or read the recordings of others. Root and two members
# record at the same time, by the same commands, and each gets an own recording. The two members can
# access another's recording neither by the commands nor by the device files for scripts.
# test_access.sh tests every single call of the device. An open file of the module has the rights of
# its opener: a set-user-ID program that writes to the file, or calls ioctl on it, adds no rights
# (prog/pass_fd.c).
. tests/guest/lib.sh
guest_begin owners

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
printf 'alice:x:1000:1000::/tmp:/bin/sh\nbob:x:1001:1001::/tmp:/bin/sh\nkutrace:x:990:990::/tmp:/bin/sh\n' >>/etc/passwd
printf 'alice:x:1000:\nbob:x:1001:\nkutrace:x:990:\n' >>/etc/group
sed -i 's/^tracing:x:500:.*/tracing:x:500:alice,bob,kutrace/' /etc/group
chmod 1777 /tmp /out
must insmod /lib/kutrace.ko mb=4
chgrp 500 /dev/kutrace/*

# as USER NAME WORD...: runs kutrace_control as that user, for at most a minute; its output goes to
# /out
as()
{
	user=$1 name=$2
	shift 2
	timeout 60 su "$user" -c "kutrace_control $*" >"/out/$name.out" 2>&1
	echo $? >"/out/$name.status"
}

# Only root may create a session with the default name of another user's session.
must kutrace_control session create uid-1000
must kutrace_control session destroy uid-1000
as bob take.create session create uid-1000
as bob take.start --session uid-1000 start
as bob take.more session create uid-10000
as bob take.text session create uid-x
as bob name.own session create uid-1001
as bob name.destroy session destroy uid-1001
as bob name.other session create bob-1000
as bob name.end session destroy bob-1000

as alice early.status status
as alice early.stop stop /out/early.trace
kutrace_control session destroy uid-1000
must kutrace_control go
marker root 3
as alice go go
as bob go go
as alice again go
su alice -c 'marker alice 5'
su bob -c 'marker bob 7'

# Each user can access only their own recording.
as alice main.stop --session main stop /out/stolen.trace
as alice bob.stop --session uid-1001 stop /out/stolen.trace
as bob alice.dump --session uid-1000 snapshot -o /out/stolen.trace
as bob alice.destroy session destroy uid-1000
as bob alice.mask --session uid-1000 mask -syscall
as bob main.trigger --session main start --trigger "'syscall>1s'"
su bob -c 'echo setbits 0 >/dev/kutrace/ctl' 2>/dev/null && echo ctl >>/out/allowed
su bob -c 'cat /dev/kutrace/cpu000' >/out/node 2>/dev/null && echo cpu000 >>/out/allowed
su bob -c 'cat /dev/kutrace/aux' >>/out/node 2>/dev/null && echo aux >>/out/allowed
su bob -c '(echo session main; cat) <>/dev/kutrace/ctl >&0' 2>/dev/null && echo session >>/out/allowed
kutrace_control session list >/out/list

# A program of root operates on a file that alice opened, and a program of alice on root's file.
cp /bin/pass_fd /bin/victim
chmod 4755 /bin/victim
must kutrace_control --session secret start --size 1
kutrace_control --session secret mask --json >/out/pass_fd.before
for node in ctl tracepoints aux cpu000; do
	su alice -c "pass_fd write /dev/kutrace/$node secret /bin/victim" >/out/pass_fd.$node
done
su alice -c "pass_fd attach secret /bin/victim" >/out/pass_fd.attach
pass_fd given secret 1000 >/out/pass_fd.given
kutrace_control --session secret mask --json >/out/pass_fd.after
must kutrace_control session destroy secret

as bob stop stop /out/bob.trace
as alice stop stop /out/alice.trace
as alice run run -o /out/run.trace -- marker run 11
must kutrace_control stop /out/root.trace
stat -c '%U' /out/alice.trace /out/bob.trace /out/run.trace | tr '\n' ' ' >/out/whose
as alice after session destroy uid-1000

# bob takes the session name of the recorder service: see docs/guide/security.md
mkdir /tmp/kept
chown 990 /tmp/kept
as bob squat --session recorder start --size 1
as kutrace squat.watch --session recorder watch --into /tmp/kept
as kutrace squat.take --session recorder snapshot -o /out/stolen.trace
as kutrace squat.end session destroy recorder
kutrace_control session list >/out/squat.list
as bob squat.still --session recorder status
must kutrace_control session destroy recorder
su kutrace -c 'kutrace_control --session recorder watch --into /tmp/kept' >/out/squat.after 2>&1 &
tries=0
until kutrace_control session list | grep -q '^recorder  *recording.*990' || [ $tries = 100 ]; do
	usleep 100000
	tries=$((tries + 1))
done
kutrace_control session list >/out/squat.own
as bob squat.later --session recorder stop /out/stolen.trace
kill -TERM $!
wait
kutrace_control session destroy recorder
ls -A /tmp/kept >/out/squat.kept
must kutrace_control session destroy uid-1001
must rmmod kutrace
SCRIPT

# marks TRACE LABEL: prints how many mark_c with that label are in the trace
marks()
{
	"$BUILD/bin/rawtoevent" "$OUT/$1.trace" 2>/dev/null |
		awk -v mark="mark_c=$2" '!/^#/ && $10 == mark { n++ } END { print n + 0 }'
}

# line FILE: prints the file's lines as one line
line()
{
	tr '\n' ' ' <"$OUT/$1"
}

# kinds FILE: prints the line with the mask of recorded kinds
kinds()
{
	grep '"mask"' "$OUT/$1"
}

if guest_run "$TAP_TMP/script" --cpus 2 --file "$GUEST_BIN/marker" \
	--file "$GUEST_BIN/pass_fd"; then
	for what in take.create take.start take.more take.text; do
		is "$what: bob cannot take the session name of another user" "$(cat "$OUT/$what.status")" 1
		like "$what: the error names the owner" "$(cat "$OUT/$what.out")" 'a name uid-NUMBER is reserved for that user'
	done
	for what in name.own name.destroy name.other name.end; do
		is "$what: bob can take his own name, and other free names" "$(cat "$OUT/$what.status")" 0
	done
	is "status before any own recording" "$(cat "$OUT/early.status.status")" 0
	like "status shows the main session" "$(cat "$OUT/early.status.out")" '^session +main,'
	like "stop fails before an own recording, although root records" "$(cat "$OUT/early.stop.out")" \
		'nothing has been recorded: start a recording first'
	for what in go again stop run; do
		is "alice: $what" "$(cat "$OUT/$what.status")" "$([ $what = again ] && echo 1 || echo 0)"
	done
	like "a second go is refused" "$(cat "$OUT/again.out")" 'already recording'
	for what in main.stop bob.stop alice.dump alice.destroy alice.mask main.trigger; do
		is "$what is refused" "$(cat "$OUT/$what.status")" 1
		like "$what: remedy" "$(cat "$OUT/$what.out")" \
			'no permission: run as root, or as the user who created it'
	done
	ok "no trace of another user's recording was written" [ ! -e "$OUT/stolen.trace" ]
	is "the device files for scripts allow nothing" "$(cat "$OUT/allowed" 2>/dev/null)" ""
	is "nothing was read from the device files for scripts" "$(wc -c <"$OUT/node")" 0
	# Every user who may open ctl and tracepoints can read the state in them.
	for node in ctl tracepoints; do
		is "$node: a set-user-ID program gives access to no session" "$(line pass_fd.$node)" \
			"direct EACCES read ok mask EACCES "
	done
	for node in aux cpu000; do
		is "$node: a set-user-ID program gives access to no session" "$(line pass_fd.$node)" \
			"direct EACCES read EACCES mask EACCES "
	done
	is "control: a set-user-ID program adds no rights, and owns no session" \
		"$(line pass_fd.attach)" "destroy-main EACCES create-named EACCES owner 1000 attach EACCES map ok "
	is "control: a file that root opened keeps root's rights" "$(line pass_fd.given)" \
		"destroy-main EPERM create-named ok owner 0 attach ok "
	like "the status has the session's mask" "$(kinds pass_fd.before)" '"mask": "0x[0-9a-f]{16}"'
	is "the session's mask has not changed" "$(kinds pass_fd.after)" "$(kinds pass_fd.before)"
	is "all three record at the same time" "$(grep -c 'recording\|on' "$OUT/list")" 3
	for user in root alice bob; do
		trace_ok "$user" "$OUT/$user.trace"
		is "$user: alice's marks" "$(marks $user alice)" 5
		is "$user: bob's marks" "$(marks $user bob)" 7
	done
	is "root's recording began before the others" "$(marks root root)" 3
	is "root's recording ended after the others" "$(marks root run)" 11
	is "run: its program's marks" "$(marks run run)" 11
	is "owners of the traces" "$(cat "$OUT/whose")" "alice bob alice "
	is "bob can take the recorder's name while the recorder does not run" "$(cat "$OUT/squat.status")" 0
	for what in squat.watch squat.take squat.end; do
		is "$what: the recorder is refused" "$(cat "$OUT/$what.status")" 1
		like "$what: reason" "$(cat "$OUT/$what.out")" \
			'session recorder: no permission: run as root, or as the user who created it'
	done
	like "root's list shows the session's owner" "$(cat "$OUT/squat.list")" '^recorder .*(bob|1001)'
	is "bob still has the session" "$(cat "$OUT/squat.still.status")" 0
	like "after root ends it, the recorder has the session" "$(cat "$OUT/squat.own")" '^recorder +recording.*(kutrace|990)'
	is "bob cannot access the recorder's session" "$(cat "$OUT/squat.later.status")" 1
	is "no trace of bob's session was written" "$(cat "$OUT/squat.kept")" ""
	is "the owner can destroy the session" "$(cat "$OUT/after.status")" 0
fi
tap_end
