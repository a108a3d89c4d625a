#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 400
# takes: 90
#
# `make guest` gives a shell with history and completion on a terminal of the test, which has its
# old settings afterwards. The shared folder passes files in both directions while the guest runs.
# ^C ends the guest's program only. A command comes back with its output, its status, a sound trace
# and a page. Wrong options are refused before anything starts.
. tests/guest/lib.sh
guest_begin play
unset KERNEL ARCH CPUS MEMORY ROOT CMD
SHARE=$OUT/share
export SHARE TERM=xterm-256color

# --- wrong options ---
refused()	# REGEX OPTION...
{
	_want=$1
	shift
	_got=0
	_text=$(tests/guest/play.sh "$@" 2>&1 </dev/null) || _got=$?
	is "$*: exit status" "$_got" 2
	like "$*: the message" "$_text" "$_want"
}
refused '^guest: --root: bad root "alpine" \(busybox or debian\)' --root alpine true
refused '^guest: bad number of CPUs "0"' --cpus 0 true
refused '^guest: bad memory "2G"' --memory 2G true
refused '^guest: no machine mips: amd64, arm64 or riscv64' --arch mips true
refused '^guest: stock-6.12-arm64 is not for riscv64' --kernel stock-6.12-arm64 --arch riscv64 true
refused '^guest: --root debian is for amd64 only' --root debian --arch arm64 true
refused '^guest: unknown option --cpu$' --cpu 3 true
refused '^guest: --kernel needs a value' --kernel
refused '^guest: give the command as one word' ls -l
KERNEL_STATUS=0
tests/guest/play.sh --kernel stock-x true >"$TAP_TMP/out" 2>&1 || KERNEL_STATUS=$?
is "no such kernel: exit status of kernel.sh" $KERNEL_STATUS 2
like "no such kernel: its message" "$(cat "$TAP_TMP/out")" 'no kernel is called stock-x'
exits "a shell without a terminal: exit status" 1 tests/guest/play.sh </dev/null
like "a shell without a terminal: the message" "$(tests/guest/play.sh 2>&1 </dev/null)" '^guest: the shell needs a terminal'
is "nothing was shared" "$(ls "$SHARE" 2>&1 | grep -v 'No such file')" ""

# --- a command ---
mkdir -p "$SHARE"
printf 'from the host\n' >"$SHARE/in"
# guest_command NAME COMMAND [VARIABLE=VALUE]...: runs a guest, and leaves NAME.status, .out and .err
guest_command()
{
	_name=$1
	_command=$2
	shift 2
	_status=0
	env "$@" tests/guest/play.sh "$_command" >"$OUT/$_name.out" 2>"$OUT/$_name.err" || _status=$?
	echo $_status >"$OUT/$_name.status"
}
guest_command one "/bin/cat /share/in; echo \"it's \$(/bin/id -un)\"; echo complaint >&2
echo from the guest >/share/out; /bin/grep -c processor /proc/cpuinfo; for i in 1 2 3; do /bin/true; done; exit 7" CPUS=3
is "a command: exit status" "$(cat "$OUT/one.status")" 7
is "a command: stdout" "$(cat "$OUT/one.out")" "from the host
it's root
3"
is "a command: stderr, except lines of play.sh" "$(grep -v '^guest: ' "$OUT/one.err")" complaint
is "a command: one line about KVM or emulation" "$(grep -cE '^guest: (KVM|QEMU) ' "$OUT/one.err")" 1
is "a command: its file is on the host" "$(cat "$SHARE/out")" "from the guest"
is "a command: the file belongs to the user" "$(stat -c %u "$SHARE/out")" "$(id -u)"
trace_ok "a command" "$SHARE/cmd.trace"
ok "a command: the filters read the trace" trace_text "$SHARE/cmd.trace"
is "a command: execve calls in the trace: the shell twice, cat, id, grep, and true three times" \
	"$(event_awk -v call="$(syscall_event execve)" '!/^#/ && $3 == call { n++ } END { print n + 0 }' "$SHARE/cmd.trace.events")" 8
ok "a command: the page has the trace" sh -c '"$1" <"$2" | grep -q "\"grep\."' sh "$BUILD/bin/unmakeself" "$SHARE/cmd.html"

# As root, runs virtiofsd as another user in a user namespace, as share.pl does for an ordinary user.
as_nobody="setpriv --reuid=nobody --regid=nogroup --clear-groups"
if [ "$(id -u)" = 0 ] && ! $as_nobody unshare --map-root-user true 2>/dev/null; then
	is "without user namespaces, an ordinary user has no virtiofsd" "$($as_nobody perl - --which <tests/guest/share.pl || echo "status $?")" "status 1"
	skip "a folder of an ordinary user" "user namespaces are forbidden here"
elif [ "$(id -u)" = 0 ]; then
	mkdir "$TAP_TMP/user"
	chmod 711 "$TAP_TMP"
	chown nobody "$TAP_TMP/user"
	cat >"$TAP_TMP/virtiofsd" <<WRAP
#!/bin/sh
exec $as_nobody unshare --map-root-user $(tests/guest/share.pl --which) "\$@"
WRAP
	chmod 755 "$TAP_TMP/virtiofsd"
	cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
insmod /lib/modules/fuse.ko 2>/dev/null
insmod /lib/modules/virtiofs.ko 2>/dev/null
mkdir /share
must mount -t virtiofs share /share
echo content >/share/file && mkdir /share/folder && mv /share/file /share/folder/moved
SCRIPT
	# Later kernels have these drivers built in.
	mkdir -p "$TAP_TMP/drivers/lib/modules"
	cp "$MODULES"/kernel/fs/fuse/fuse.ko "$MODULES"/kernel/fs/fuse/virtiofs.ko "$TAP_TMP/drivers/lib/modules/" 2>/dev/null
	exits "a folder of an ordinary user: the guest writes" 0 env KUTRACE_VIRTIOFSD="$TAP_TMP/virtiofsd" tests/guest/boot.sh \
		--kernel "$KERNEL_DIR" --script "$TAP_TMP/script" --out "$OUT/user" --share "$TAP_TMP/user" --tree "$TAP_TMP/drivers"
	is "a folder of an ordinary user: content and owner" \
		"$(cat "$TAP_TMP/user/folder/moved") $(stat -c %U "$TAP_TMP/user/folder/moved")" "content nobody"
else
	skip "a folder of an ordinary user" "the tests above checked this"
fi
rm -rf "$SHARE"
guest_command none 'echo late >/share/out; echo output; ! test -e /share/in' KUTRACE_VIRTIOFSD=/none
is "without virtiofsd: exit status" "$(cat "$OUT/none.status")" 0
is "without virtiofsd: output" "$(cat "$OUT/none.out")" output
is "without virtiofsd: the files come at the end" "$(cat "$SHARE/out")" late
trace_ok "without virtiofsd" "$SHARE/cmd.trace"

# --- a shell ---
cat >"$TAP_TMP/steps" <<'STEPS'
expect /share # 
send stty size; echo "term $TERM"\r
expect 33 111\r*\n
expect term xterm-256color\r*\n
expect /share # 
send echo fir''st\r
expect first\r*\n
expect /share # 
send \e[A\r
expect first\r*\n
expect /share # 
send kutrace_con\t --version\r
expect kutrace_control [^\n]*\d
expect /share # 
run echo from the host >"$SHARE/late"
send cat /share/late\r
expect from the host\r*\n
send echo from the guest >/share/now; echo do''ne\r
expect done\r*\n
run test "$(cat "$SHARE/now")" = "from the guest"
expect /share # 
send sh -c 'echo sle''eps; exec sleep 1000'\r
expect sleeps\r*\n
send \x03
expect /share # 
send echo status $?\r
expect status 130\r*\n
expect /share # 
send kutrace run -- ls -lR /opt >/dev/null\r
expect open build/tests/guest/play/share/ls\.html on the host
expect /share # 
send kutrace why --no-pager ls.trace | head -n 3\r
expect explains ls\.\d+: it is the recorded program
expect /share # 
run test -s "$SHARE/ls.html"
send exit\r
STEPS
on_terminal()	# STEPS
{
	tests/guest/pty.pl 120 33 111 "$OUT/terminal.log" \
		sh -c 'stty -g >"$1.before"; tests/guest/play.sh; status=$?; stty -g >"$1.after"; exit $status' sh "$OUT/terminal" <"$1"
}
exits "a shell: prompt, size, TERM, history, completion, both directions of the folder, ^C" 0 on_terminal "$TAP_TMP/steps"
is "a shell: the terminal has its old settings" "$(cat "$OUT/terminal.after")" "$(cat "$OUT/terminal.before")"
between "a shell: lines of the greeting" "$(sed -n '/^KUtrace on/,/^Manual:/p' "$OUT/terminal.log" | wc -l)" 4 8
trace_ok "a shell: the greeting's example" "$SHARE/ls.trace"
if command -v nroff >/dev/null; then
	printf '%s\n' 'expect /share # ' 'send man kutrace_control\r' 'expect NAME' 'send q' 'expect /share # ' 'send \x1dx' >"$TAP_TMP/steps"
else
	printf '%s\n' 'expect /share # ' 'send \x1dx' >"$TAP_TMP/steps"
fi
exits "^] x ends a guest: exit status 1" 1 on_terminal "$TAP_TMP/steps"
is "^] x: the terminal has its old settings" "$(cat "$OUT/terminal.after")" "$(cat "$OUT/terminal.before")"
tap_end
