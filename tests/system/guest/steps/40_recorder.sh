# SPDX-License-Identifier: BSD-3-Clause
#
# The recorder service records as its own user, writes traces and reports them in the journal,
# restarts when it is killed, and keeps its limits.
. ./recorder.sh

install -m 755 files/answer files/backup /usr/local/bin/
install -m 644 files/shop.service /etc/systemd/system/
mkdir -p /etc/systemd/system/kutrace-recorder.service.d
printf '[Service]\nMemoryMax=24M\n' >/etc/systemd/system/kutrace-recorder.service.d/limit.conf
echo 'options kutrace mb=8' >/etc/modprobe.d/kutrace.conf
systemctl daemon-reload
systemctl start shop
# carol sets up the recorder, as in docs/guide/install.md.
as carol "echo 'RECORDER_ARGS=--size 2 --keep 8 --pause 1 --after 10 --trigger syscall:flock>400ms' | sudo tee /etc/default/kutrace
	sudo systemctl enable --now kutrace-recorder"
is "the recorder starts" "$status" 0
ok "the recorder records" until_ 60 recorder_records
is "the recorder has its own user" "$(ps -o user= -p "$(recorder_pid)")" kutrace
is "groups of the recorder's user" "$(sed -n 's/^Groups:[[:space:]]*//p' "/proc/$(recorder_pid)/status" | xargs -n 1 getent group | cut -d : -f 1 | sort | tr '\n' ' ')" "kutrace tracing "
is "the recorder has no capability" "$(sed -n 's/^Cap\(Prm\|Eff\|Bnd\):[[:space:]]*//p' "/proc/$(recorder_pid)/status" | sort -u)" 0000000000000000
is "nothing of the project runs as root" "$(ps -eo user=,comm= | grep kutrace_control | grep -v '^kutrace ')" ""

# --- a slow request ---
slow_request one
is "the request is answered, late" "$answer" "answered one"
ok "the trigger writes a trace of the slow request" until_ 120 more_written 0
hint=$(journalctl -b -u kutrace-recorder -o cat --no-pager)
like "the journal has the trigger that fired" "$hint" 'fired: syscall:flock>400ms: flock took [0-9.]+m?s, flock\.[0-9]+ on CPU [0-9]+'
next=$(echo "$hint" | sed -n 's/.*next: \(.*\)/\1/p' | tail -n 1)
trace=$(echo "$next" | grep -o "$kept/recorder-[0-9-]*\.[0-9]*\.trace")
ok "the journal names the trace" test -f "$trace"
is "only the recorder's user can read the trace" "$(stat -c '%U %a' "$trace") $(stat -c '%U %a' $kept)" "kutrace 600 kutrace 750"
as carol "sudo journalctl -b -u kutrace-recorder -o cat --no-pager | grep -c 'next: .*\.trace'"
is "carol finds the trace in the journal" "$said" 1
cp "$trace" "$state/slow.trace"
as carol "sudo install -o \$USER -m 600 $trace slow.trace && rawtohtml slow.trace -o slow.html"
is "carol makes a page of the trace" "$status" 0
who=$(echo "$hint" | sed -n 's/.*took [^,]*, flock\.\([0-9]*\) on CPU.*/\1/p' | head -n 1)
as carol "rawtoevent slow.trace 2>/dev/null | sort -n | eventtospan slow 2>/dev/null | LC_ALL=C sort | spantowhy --pid $who"
like "spantowhy names the cause: a backup ended the wait" "$said" "^[0-9. s]*in flock: waited .*, woken by backup\.[0-9]+"
as bob "cat $trace" 2>/dev/null
is "bob, in group tracing, cannot read the trace" "$status" 1
as bob 'kutrace_control --session recorder snapshot -o stolen.trace' 2>/dev/null
is "bob cannot take a snapshot" "$status" 1
as bob 'kutrace_control --session recorder stop stolen.trace' 2>/dev/null
is "bob cannot end the recording" "$status" 1

# --- killed ---
made=$(session recorder | grep -o 'pid [0-9]*')
for signal in TERM KILL; do
	pid=$(recorder_pid)
	systemctl kill -s $signal kutrace-recorder
	ok "systemctl kill -s $signal: the recorder is restarted" until_ 60 recorder_changed "$pid"
	ok "the restarted recorder continues the running recording" until_ 60 said_in_journal 'session recorder is already recording' "_PID=$(recorder_pid)"
	is "the recording is the same" "$(session recorder | grep -o 'pid [0-9]*')" "$made"
done
before=$(written)
slow_request two
ok "a slow request still gives a trace" until_ 120 more_written "$before"

# --- limits ---
for n in 3 4 5 6; do
	count=$(written)
	slow_request $n
	until_ 120 more_written "$count" || diag "request $n was not written"
done
like "the recorder rotates: the oldest traces are removed, with a message" "$(journalctl -b -u kutrace-recorder -o cat --no-pager)" \
	"$(basename "$trace") removed: more than 8 MB \(--keep\)"
between "the folder keeps its limit" "$(du -sk $kept | cut -f 1)" 1 8192
group=/sys/fs/cgroup/system.slice/kutrace-recorder.service
between "the memory, with the buffer, keeps its limit" "$(cat $group/memory.peak)" 1 $((24 << 20))
systemctl stop kutrace-recorder
is "stopped: its session is gone" "$(session recorder)" ""
is "stopped: its traces remain" "$(ls $kept | grep -c '\.trace$')" "$(ls $kept | wc -l)"
systemctl start kutrace-recorder
ok "started: the recorder records" until_ 60 recorder_records
between "the buffer is charged to the unit" "$(cat $group/memory.current)" $((2 << 20)) $((24 << 20))
sed -i 's/--size 2 --keep 8/--size 48 --keep 200/' /etc/default/kutrace
systemctl restart kutrace-recorder
ok "a buffer larger than the limit: error" until_ 60 said_in_journal 'no memory for its buffer, on this machine or in this memory cgroup: take a smaller --size'
is "a buffer larger than the limit: no session is left" "$(session recorder)" ""
is "a buffer larger than the limit: no process was killed" "$(journalctl -b -k -o cat --no-pager | grep -c 'oom-kill\|Out of memory')" 0
sed -i 's/--size 48 --keep 200/--size 2 --keep 8/' /etc/default/kutrace
systemctl reset-failed kutrace-recorder 2>/dev/null
systemctl restart kutrace-recorder
ok "with the old size the recorder records again" until_ 60 recorder_records

systemctl enable shop 2>/dev/null
is "AppArmor has refused nothing, and the kernel warns of nothing" "$(complaints)" ""
ls $kept >"$state/kept"
reboot=1
