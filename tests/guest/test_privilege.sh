#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 900
# takes: 20
# also: privilege_patched KUTRACE_PATCHED_CONFIG=stripped timeout: 900 takes: 15 needs: patched
#
# Each kind of user gets from the module exactly what the tables of docs/guide/security.md list. The
# users are root, a member of the group, another user, one with CAP_PERFMON, the root of a user
# namespace, the root of a container, and a process with a seccomp filter (privilege.c). The test
# uses the stock kernel for everything except the control system call, and the patched kernel for
# this call (test_privilege_patched). The patched kernel has neither user namespaces nor seccomp.
#
#	tests/guest/test_privilege.sh [--print]		prints the tables
. tests/guest/lib.sh
guest_begin privilege${KUTRACE_PATCHED_CONFIG:+-$KUTRACE_PATCHED_CONFIG}
everybody='root perfmon group plain userns container seccomp'
[ -z "$KUTRACE_PATCHED_CONFIG" ] || everybody='root perfmon group plain'

cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
# arguments: the kinds of users
each()
{
	loaded=$1
	shift
	for who; do
		kutrace_control session create theirs --size 1 2>/dev/null
		must privilege "$who" >"/out/$loaded.$who"
	done
}
mount -t securityfs none /sys/kernel/security 2>/dev/null
states='default marks_all'
[ ! -e /sys/kernel/security/lockdown ] || states="$states integrity confidentiality"
for loaded in $states; do
	if [ $loaded = default ]; then
		must insmod /lib/kutrace.ko mb=1
		chgrp 500 /dev/kutrace/*
	elif [ $loaded != confidentiality ]; then
		must insmod /lib/kutrace.ko mb=1 marks_all=1 gid=500
	fi
	case $loaded in
	integrity)
		# A module that was loaded before, and files that were opened before, stay usable.
		echo integrity >/sys/kernel/security/lockdown || die "cannot write /sys/kernel/security/lockdown"
		;;
	confidentiality)
		must kutrace_control --session before start --size 1
		exec 3</dev/kutrace/ctl
		echo confidentiality >/sys/kernel/security/lockdown || die "cannot write /sys/kernel/security/lockdown"
		kutrace_control --session before stop /tmp/x 2>/out/locked.stop
		kutrace_control go 2>/out/locked.go
		cat <&3 >/out/locked.open
		cat /dev/kutrace/ctl >/out/locked.again 2>/dev/null
		exec 3<&-
		;;
	esac
	each $loaded "$@"
	case $* in
	*seccomp*)
		must privilege root sandbox >"/out/$loaded.sandbox-root"
		[ $loaded = default ] || privilege plain sandbox >"/out/$loaded.sandbox-plain" || die "plain: sandbox"
		;;
	esac
	[ $loaded = integrity ] || must rmmod kutrace
done
echo "$states" >/out/states
SCRIPT

# classes: prints the classes of operations in docs/guide/security.md, one per line: NAME:OPERATIONS
classes()
{
	awk '/^<!-- classes -->$/ { on = 1; next }
		!on || /^$/ && !text { next }
		/^- / || /^$/ { if (text) print text; text = $0; sub(/^- \*\*/, "", text); sub(/\*\*: /, ":", text) }
		/^$/ { exit }
		/^  / { sub(/^ +/, ""); text = text " " $0 }' docs/guide/security.md
}

# table LOADED calls|rest: prints the results of each kind of user as a Markdown table. Attempts
# with the same results share a row. If all operations of a class share a row, the row has the class.
# If the names of other attempts differ only in the last word, the row lists only these words.
table()
{
	classes >"$OUT/classes"
	(cd "$OUT" && awk -v calls="$([ "$2" = calls ] && echo 1 || echo 0)" -v everybody="$everybody" '
	# Puts the operations of an item, such as "main: CONTROL on off", into the class @name.
	function classify(name, item,    op, first, words, n, w) {
		for (op in known)
			if ((item == op || index(item, op " ") == 1) && length(op) > length(first)) first = op
		if (first == "") { wrong[++wrongs] = item; return }
		class[first] = name
		n = split(substr(item, length(first) + 2), words, " ")
		sub(/[^ ]*$/, "", first)
		for (w = 1; w <= n; w++) {
			if (!((first words[w]) in known)) wrong[++wrongs] = first words[w]
			class[first words[w]] = name
		}
	}
	function add(row, text, start) {
		if (!(row in names)) rows[++m] = row
		names[row] = names[row] (row in names && names[row] != "" ? ", " : "") text
		starts[row] = start
	}
	FILENAME == "classes" { classes[++nclasses] = $0; next }
	FNR == 1 { who = FILENAME; sub(/.*\./, "", who) }
	{
		result = $NF
		what = $0
		sub(/ [^ ]*$/, "", what)
		if ((what ~ /^call /) != calls)
			next
		if (!(what in known)) { known[what] = 1; order[++n] = what }
		got[what, who] = result
	}
	END {
		columns = split(everybody, whom, " ")
		line = "| |"; rule = "|---|"
		for (c = 1; c <= columns; c++) { line = line " " whom[c] " |"; rule = rule "---|" }
		print line "\n" rule
		for (c = 1; c <= nclasses && !calls; c++) {
			name = text = classes[c]
			sub(/:.*/, "", name)
			sub(/^[^:]*:/, "", text)
			items = split(text, item, ", ")
			for (i = 1; i <= items; i++) classify(name, item[i])
		}
		for (i = 1; i <= n; i++) {
			row = ""
			for (c = 1; c <= columns; c++)
				row = row " " ((order[i], whom[c]) in got ? got[order[i], whom[c]] : "-") " |"
			results[i] = row
			name = class[order[i]]
			if (name in common && common[name] != row) mixed[name] = 1
			common[name] = row
		}
		for (i = 1; i <= n; i++) {
			row = results[i]
			name = class[order[i]]
			start = last = order[i]
			if (!sub(/ [^ ]*$/, "", start)) start = ""
			sub(/.* /, "", last)
			if (name != "" && !(name in mixed)) {
				if (!printed[name]++) add(row, "*" name "*", "")
			} else if (start != "" && start == starts[row])
				names[row] = names[row] " " last
			else
				add(row, order[i], start)
		}
		for (i = 1; i <= m; i++)
			print "| " names[rows[i]] " |" rows[i]
		for (i = 1; i <= wrongs; i++)
			print "no operation: " wrong[i]
	}' classes $(printf "$1.%s " $everybody))
}

# shown HEADING: prints the table below this heading in docs/guide/security.md
shown()
{
	awk -v heading="$1" '$0 == heading { below = 1; next }
		below && /^\|/ { print; inside = 1; next }
		inside { exit }' docs/guide/security.md
}

if [ -n "$KUTRACE_PATCHED_CONFIG" ] && ! patched_kernel; then
	fail "the kernel is built" "see above"
	tap_end
fi
# shellcheck disable=SC2086 # words
if guest_run "$TAP_TMP/script" --cpus 2 --timeout 400 --file "$GUEST_BIN/privilege" -- $everybody; then
	states=$(cat "$OUT/states")
	for loaded in $states; do
		for what in rest calls; do
			table $loaded $what >"$OUT/$loaded-$what.md"
			[ "${1-}" != --print ] || cat "$OUT/$loaded-$what.md" >&2
		done
		[ $loaded != integrity ] || continue
		if [ -n "$KUTRACE_PATCHED_CONFIG" ]; then
			ok "$loaded: docs/guide/security.md lists the results of the control system call" \
				diff <(shown "<!-- $loaded-calls -->") "$OUT/$loaded-calls.md"
			continue
		fi
		ok "$loaded: docs/guide/security.md lists the results" \
			diff <(shown "<!-- $loaded-rest -->") "$OUT/$loaded-rest.md"
		# On a stock kernel, the number of the control call has no function.
		is "$loaded: there is no control system call" \
			"$(sed 1,2d "$OUT/$loaded-calls.md" | tr -s '| ' '\n' | sort -u | grep -E '^(yes|refused|E[A-Z]+)$' | tr '\n' ' ')" \
			"EACCES ENOSYS "
	done
	if [ -n "$KUTRACE_PATCHED_CONFIG" ]; then
		tap_end
	fi
	is "the kernel can be locked down" "$states" "default marks_all integrity confidentiality"
	like "locked down: root gets the reason" "$(cat "$OUT/locked.go")" \
		'go: the kernel is locked down, so no user may record, not even root'
	like "locked down: an earlier recording cannot be ended" "$(cat "$OUT/locked.stop")" \
		'session before: no permission'
	like "locked down: a file that was opened before can be read" "$(cat "$OUT/locked.open")" '^setmask 0x'
	is "locked down: the file cannot be opened again" "$(cat "$OUT/locked.again")" ""
	is "lockdown for integrity changes no result" "$(cat "$OUT/integrity-rest.md")" \
		"$(cat "$OUT/marks_all-rest.md")"
	for file in default.sandbox-root marks_all.sandbox-root marks_all.sandbox-plain; do
		is "$file: marks still work, and nothing else does" "$(tr '\n' ' ' <"$OUT/$file")" \
			"sandbox: MARK yes sandbox: open control EACCES sandbox: call version EACCES "
	done
fi
tap_end
