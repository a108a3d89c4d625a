#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 200
#
# kutrace_control run under sudo runs the program as the caller, with all of that user's groups and
# none of root's rights, and the trace belongs to the caller. The program's marks are in the trace
# if its groups may make marks. The exit statuses distinguish the tool's errors from the program's.
# The tool is linked statically, so it reads /etc/passwd and /etc/group itself.
. tests/guest/lib.sh
guest_begin user

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
echo 'traced:x:1000:1000:Some One:/tmp/home:/bin/ash' >>/etc/passwd
printf 'traced:x:1000:\naudio:x:29:nobody,traced\nvideo:x:44:nobody\n' >>/etc/group
sed -i 's/^tracing:x:500:.*/tracing:x:500:nobody,traced/' /etc/group
must insmod /lib/kutrace.ko mb=8
chgrp 500 /dev/kutrace/control
# by NAME WORD...: runs the command as sudo does for user 1000; output, errors and status go to /out
by()
{
	name=$1
	shift
	SUDO_UID=1000 SUDO_GID=1000 SUDO_USER=traced SUDO_COMMAND=x \
		kutrace_control run -o "/out/$name.trace" "$@" >/out/$name.out 2>/out/$name.err
	echo $? >/out/$name.status
}
by mine -- sh -c 'id -u; id -g; id -G; echo $HOME $USER $LOGNAME $SHELL ${SUDO_UID-none}
	grep -E "^Cap(Prm|Eff)" /proc/self/status; marker caller 7'
by named --user nobody -- sh -c 'id -u; id -g; id -G; marker named 5'
by root --user root -- sh -c 'id -u; marker root 3'
by status -- sh -c 'exit 41'
by signal -- sh -c 'kill -USR1 $$'
by missing -- /no/such/program
echo 'data' >/tmp/data
by cannot -- /tmp/data
by unwritten -o /no/such/x.trace -- sh -c 'exit 1'
kutrace_control run --user wat -- true 2>/out/wat.err
echo $? >/out/wat.status
stat -c '%u %g' /out/mine.trace /out/named.trace | tr '\n' ' ' >/out/owners
rm -f /tmp/by-root.trace
kutrace_control run -o /tmp/by-root.trace -- true 2>/dev/null
stat -c '%u %g' /tmp/by-root.trace >>/out/owners
must rmmod kutrace
SCRIPT

marks()	# TRACE LABEL
{
	"$BUILD/bin/rawtoevent" "$OUT/$1.trace" 2>/dev/null |
		awk -v mark="mark_c=$2" '!/^#/ && $10 == mark { n++ } END { print n + 0 }'
}

if guest_run "$TAP_TMP/script" --cpus 2 --file "$GUEST_BIN/marker"; then
	is "under sudo: ids, groups, environment" "$(sed '/^Cap/d' "$OUT/mine.out" | tr '\n' '|')" \
		"1000|1000|1000 29 500|/tmp/home traced traced /bin/ash none|"
	is "under sudo: no capability" "$(grep -c '^Cap\(Prm\|Eff\):.0*$' "$OUT/mine.out")" 2
	is "--user: ids, groups" "$(tr '\n' '|' <"$OUT/named.out")" "65534|65534|65534 29 44 500|"
	is "--user root: stays root" "$(cat "$OUT/root.out")" 0
	for pair in mine:caller:7 named:named:5 root:root:3; do
		name=${pair%%:*}
		mark=${pair#*:}
		is "$name: status" "$(cat "$OUT/$name.status")" 0
		trace_ok "$name" "$OUT/$name.trace"
		is "$name: marks in the trace" "$(marks "$name" "${mark%:*}")" "${mark#*:}"
	done
	is "owners of the traces" "$(cat "$OUT/owners")" "1000 1000 1000 1000 0 0"
	for pair in status:41 signal:138 missing:127 cannot:126 unwritten:125 wat:125; do
		is "${pair%:*}: exit status" "$(cat "$OUT/${pair%:*}.status")" "${pair#*:}"
	done
	like "no such user" "$(cat "$OUT/wat.err")" 'run: --user: wat: there is no such user in /etc/passwd$'
fi
tap_end
