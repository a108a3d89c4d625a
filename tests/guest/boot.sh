#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Boots a kernel in QEMU (TCG, no KVM, no root) with a busybox initramfs, runs a shell script in it,
# and copies the files in the guest's /out to the host. If a guest hung, crashed or has a warning in
# its log, boot.sh must fail.
#
#	tests/guest/boot.sh --script FILE --out DIR [options] [-- ARG...]
#
#	--script FILE	shell script to run as /script ARG... (busybox sh, as root), with the functions of must.sh
#	--out DIR	gets the content of the guest's /out, console.log, dmesg
#	--file SRC[:DST]	puts SRC at DST (default /bin/NAME); may be repeated
#	--kernel DIR	a kernel in the folders of lay_out.sh (default: kernel.sh finds it)
#	--cpus N (2)  --mem MIB (1024)  --timeout SECONDS (120)  --append STRING
#	--threads single	one host thread runs all CPUs alternately; multi: a host thread for
#			each CPU (default: multi if qemu.sh reports that this QEMU can)
#	--icount	one CPU, one instruction = 1 ns of guest time; a process has the same addresses each time
#	--disk MIB	a scratch disk at /dev/vdb
#	--echo		prints the script's output also to stdout, immediately
#	--allow REGEX	log lines that are no warnings
#	--firmware CODE:VARS	boots by UEFI, which may change its variables in VARS
#	--esp DIR	with --firmware: the firmware boots from a disk with the content of DIR. GRUB on it
#			reads EFI/debian/grub.cfg; kernel and initramfs are added to the disk
#	--gdb PORT	stops before the first instruction and waits for gdb at 127.0.0.1:PORT;
#			no time limit, addresses as linked (docs/guide/contributing.md)
#	--dump FORMAT:FILE	expects the guest to panic. Afterwards its memory is written to FILE, as
#			elf or in another format of QEMU's dump-guest-memory; may be repeated
#	--iops N	the disk of --disk serves N requests a second: each takes 1/N s, except the first N/10
#	--tree DIR	puts the content of DIR at /
#	--tty		the guest's console is this terminal, for play.sh: no time limit, no second run. ^C goes to
#			the guest; ^] x ends the guest
#	--share DIR	the guest can mount DIR as the virtiofs file system "share", by virtiofsd (share.pl)
#	--drive FILE	a raw disk at /dev/vdb that keeps what the guest writes; not with --disk
#	--net		a network card with QEMU's user network: the guest is 10.0.2.15, the host 10.0.2.2
#	--kvm		KVM runs the guest's CPUs
#	--pid FILE	QEMU writes its pid to FILE while it runs
#	--qmp SOCKET	QEMU listens for QMP at this socket (qmp.pl)
#
# The time limit counts from the start of the script, because a machine under load boots slowly.
# While more processes are runnable than the machine has CPUs, a second counts less, down to a third.
# A guest has 300 seconds (KUTRACE_BOOT_SECONDS) until its script starts.
#
# Some guests are run a second time, because QEMU can execute code that the kernel has already
# changed (see qemu.sh). This happens only if the CPUs run at the same time, and in these cases:
#
#	- The guest hangs before its script starts. A message on stderr has the addresses of its
#	CPUs.
#	- The kernel died at a breakpoint instruction that its memory no longer has.
#	- The guest hangs, and continues when QEMU translates its code again. The kernel removed the
#	  breakpoint of a kprobe, but QEMU executes it again and again from its old translation,
#	  with interrupts off.
#
# A failure that is not clearly QEMU's fault never leads to a second run.
#
# The kernel may be one for arm64 or riscv64; the image shows which. Its directory then has a
# busybox for that architecture (kernel.sh), and --file brings programs that were built for it.
# --firmware is not available there.
#
# If a guest does not end in time, its kernel prints what its processes wait for (tasks.pl). A
# summary goes to stderr, the complete output to DIR/console.log, and the registers of its CPUs to
# DIR/late.registers.
#
# With --threads multi, the guest's CPUs run at the same time, as on a real machine. This is not
# safe with QEMU before 8.1; qemu.sh explains why, and selects the QEMU.
#
# In the guest: /proc, /sys, /dev, /tmp are mounted, lo is up, the users root and nobody and the
# group tracing exist, and "unload MODULE" is a command (tests/guest/unload). The script's stdout is
# the console. Files reach the host as a tar archive on a virtio disk. With --dump, only the console
# and the dumps reach the host.
#
# Exit status: the script's own (0..99); 120 the kernel log has a warning or worse (the lines are
# printed); 124 out of time; 125 the guest ended without a result; 2 usage.
set -euo pipefail

usage()
{
	[ $# = 0 ] || echo "boot: $*" >&2
	sed -n '/^#	tests/,/^#	--qmp/s/^#\t\{0,1\}//p' "$0" >&2
	exit 2
}

here=$(cd "$(dirname "$0")" && pwd)
script='' out='' kernel='' cpus=2 mem=1024 limit=120 append='' icount='' threads='' disk=0 echo='' allow='' gdb='' firmware='' esp='' qmp='' pidfile=''
tty='' share='' iops='' drive='' net='' kvm='' trees=()
files=() dumps=()
while [ $# -gt 0 ]; do
	case $1 in
	--icount) icount=1; shift; continue ;;
	--echo) echo=1; shift; continue ;;
	--tty) tty=1; shift; continue ;;
	--net) net=1; shift; continue ;;
	--kvm) kvm=1; shift; continue ;;
	--) shift; break ;;
	esac
	[ $# -ge 2 ] || usage "$1 needs a value, or is not an option"
	case $1 in
	--script) script=$2 ;;
	--out) out=$2 ;;
	--file) files+=("$2") ;;
	--kernel) kernel=$2 ;;
	--cpus) cpus=$2 ;;
	--mem) mem=$2 ;;
	--timeout) limit=$2 ;;
	--append) append=$2 ;;
	--threads) threads=$2 ;;
	--disk) disk=$2 ;;
	--iops) iops=$2 ;;
	--allow) allow=$2 ;;
	--gdb) gdb=$2 ;;
	--firmware) firmware=$2 ;;
	--esp) esp=$2 ;;
	--dump) dumps+=("$2") ;;
	--qmp) qmp=$2 ;;
	--pid) pidfile=$2 ;;
	--tree) trees+=("$2") ;;
	--share) share=$2 ;;
	--drive) drive=$2 ;;
	*) usage "unknown option $1" ;;
	esac
	shift 2
done
[ -n "$script" ] && [ -n "$out" ] || usage "--script and --out are needed"
[ -r "$script" ] || usage "cannot read $script"
[ -z "$esp" ] || [ -n "$firmware" ] || usage "--esp wants --firmware"

die()
{
	echo "boot: $*" >&2
	exit 125
}

if [ -z "$kernel" ]; then
	found=$("$here/kernel.sh") || exit 125
	eval "$found"
	kernel=$KERNEL_DIR
fi
"$here/../cache.sh" --use "$kernel" || die "there is no kernel $kernel"
vmlinuz=$(find "$kernel/boot" -name 'vmlinuz-*' | head -n 1)
[ -n "$vmlinuz" ] || die "no vmlinuz in $kernel/boot"
kver=${vmlinuz##*/vmlinuz-}
# Reads the magic bytes of an image for arm64 or riscv64.
case $(dd if="$vmlinuz" bs=1 skip=56 count=4 2>/dev/null | tr -d '\0') in
ARMd) arch=arm64 ;;
RSC*) arch=riscv64 ;;
*) arch= ;;
esac
found=$("$here/qemu.sh" $arch) || exit 125
eval "$found"
threads=${threads:-$QEMU_THREADS}
case $arch in
arm64) strip=aarch64-linux-gnu-strip busybox=$kernel/bin/busybox ;;
riscv64) strip=riscv64-linux-gnu-strip busybox=$kernel/bin/busybox ;;
*) strip=strip busybox=$(command -v busybox) || die "busybox is missing: tests/deps.sh guest" ;;
esac
[ -x "$busybox" ] || die "$kernel has no bin/busybox for $arch"
# The applets are listed by this machine's busybox, because the guest's may be for another
# architecture.
list=$(command -v busybox) || die "busybox is missing: tests/deps.sh guest"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# --- the initramfs ---
root=$work/root
mkdir -p "$root"/{bin,proc,sys,dev,tmp,out,etc,lib/modules,root}
cp "$busybox" "$root/bin/busybox"
# One process creates all 270 links, which is faster than one process for each.
"$list" --list | perl -e 'while (<STDIN>) {
	chomp;
	$_ eq "busybox" or symlink "busybox", "$ARGV[0]/$_" or die "boot: $_: $!\n";
}' "$root/bin"
ln -s bin "$root/sbin"
# The cloud kernel has its virtio drivers as modules. A kernel with built-in drivers has no such
# files.
for module in virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci \
	virtio_blk; do
	find "$kernel/lib/modules/$kver/kernel/drivers" -name "$module.ko" \
		-exec cp {} "$root/lib/modules/" \; 2>/dev/null || true
done
printf 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/tmp:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\ntracing:x:500:\nnogroup:x:65534:\n' >"$root/etc/group"
cp "$here/init" "$root/init"
cp "$here/unload" "$root/bin/unload"
sed "1r $here/must.sh" "$script" >"$root/script"
: >"$root/args"
for arg; do
	printf "'%s' " "${arg//\'/\'\\\'\'}" >>"$root/args"
done
chmod 755 "$root/init" "$root/script" "$root/bin/unload"
[ -z "$tty" ] || : >"$root/quiet"
for tree in ${trees[@]+"${trees[@]}"}; do
	cp -a "$tree/." "$root/" || die "cannot copy $tree"
done
for file in ${files[@]+"${files[@]}"}; do
	src=${file%%:*}
	dst=${file#*:}
	[ "$dst" != "$file" ] || dst=/bin/${src##*/}
	mkdir -p "$root/$(dirname "$dst")"
	cp "$src" "$root$dst" || die "cannot copy $src (is it built? make tools guest-payload)"
	case $dst in
	*.ko) "$strip" --strip-debug "$root$dst" ;;
	esac
done
(cd "$root" && find . -print0 | LC_ALL=C sort -z |
	cpio --quiet -0 -o -H newc -R 0:0) >"$work/rd.cpio" || die "cannot build the initramfs"

# --- the machine ---
mkdir -p "$out"
rm -f "$out/console.log" "$out/dmesg" "$out/status"
accel=(-accel "tcg,thread=$threads" -smp "$cpus")
if [ -n "$icount" ]; then
	accel=(-accel tcg -icount shift=0,sleep=off -smp 1)
	# The kernel's search for the area of a page fault depends on the addresses of all areas: with
	# random addresses, a fault takes 12 instructions more in one process of seventy.
	append="norandmaps $append"
fi
drives=(-drive "file=$work/out.img,format=raw,if=virtio,cache=unsafe")
if [ "$disk" -gt 0 ]; then
	drives+=(-drive "file=$work/scratch.img,format=raw,if=virtio,cache=unsafe${iops:+,throttling.iops-total=$iops}")
fi
console=$out/console.log
[ -z "$drive" ] || drives+=(-drive "file=${drive//,/,,},format=raw,if=virtio,cache=writeback")
monitor=none
serial=(-serial "file:$console")
# The path of a socket has at most 107 bytes.
if [ ${#work} -le 90 ]; then
	monitor=unix:$work/monitor,server=on,wait=off
	serial=(-chardev "socket,id=console,path=$work/serial,server=on,wait=off,logfile=${console//,/,,}" -serial chardev:console)
fi
nic=(-nic none)
[ -z "$net" ] || nic=(-nic user,model=virtio-net-pci)
if [ -n "$tty" ]; then
	serial=(-chardev "stdio,id=console,signal=off,mux=on,logfile=${console//,/,,}" -serial chardev:console -echr 29)
fi
# A busy host can stop a CPU of the guest for long. The kernel must not report this as a stall of
# RCU. Skip the kernel's self-tests of its ciphers: they take a tenth of the boot. tasks.pl needs
# SysRq.
append="rcupdate.rcu_cpu_stall_timeout=300 cryptomgr.notests sysrq_always_enabled $append"
# A guest with --dump stops at a panic, so that its memory does not change.
at_panic=-1
[ ${#dumps[@]} = 0 ] || { at_panic=0 qmp=${qmp:-$work/qmp}; }
[ -z "$pidfile" ] || accel+=(-pidfile "$pidfile")
[ -z "$qmp" ] || accel+=(-qmp "unix:$qmp,server=on,wait=off")
if [ -n "$gdb" ]; then
	accel+=(-gdb "tcp:127.0.0.1:$gdb" -S)
	append="nokaslr $append"
fi
machine=(-machine pc -cpu max)
# Without migration, KVM shows the guest that the TSC has a constant rate.
[ -z "$kvm" ] || { accel=(-accel kvm -smp "$cpus"); machine=(-machine pc -cpu max,migratable=off); }
hardware="console=ttyS0 tsc=reliable no_timer_check"
[ -z "$firmware" ] || [ -z "$arch" ] || die "--firmware is for x86-64 only"
case $arch in
arm64)
	# Use QEMU's own algorithm to sign pointers. QEMU would spend most of its time on the
	# algorithm of real processors.
	machine=(-machine "virt,gic-version=3" -cpu "max,pauth-impdef=on")
	hardware=console=ttyAMA0
	;;
riscv64)
	# OpenSBI, which comes with QEMU, starts the kernel.
	machine=(-machine virt -cpu rv64)
	hardware=console=ttyS0
	;;
esac
if [ -n "$firmware" ]; then
	# The variables of Secure Boot can be written only in system management mode.
	machine=(-machine q35,smm=on -cpu max -global ICH9-LPC.disable_s3=1
		-global driver=cfi.pflash01,property=secure,value=on
		-drive "if=pflash,format=raw,unit=0,readonly=on,file=${firmware%%:*}"
		-drive "if=pflash,format=raw,unit=1,file=${firmware#*:}")
fi
if [ -n "$share" ]; then
	# virtiofsd reads and writes the guest's memory.
	machine[1]+=,memory-backend=shared
	machine+=(-object "memory-backend-memfd,id=shared,size=${mem}M,share=on"
		-chardev "socket,id=share,path=$work/share" -device vhost-user-fs-pci,chardev=share,tag=share)
fi
append="$hardware loglevel=5 panic=$at_panic log_buf_len=4M $append"
direct=(-kernel "$vmlinuz" -initrd "$work/rd.cpio" -append "$append")
if [ -n "$esp" ]; then
	cp "$vmlinuz" "$esp/vmlinuz"
	cp "$work/rd.cpio" "$esp/rd.cpio"
	mkdir -p "$esp/EFI/debian"
	printf 'linux /vmlinuz %s\ninitrd /rd.cpio\nboot\n' "$append" >"$esp/EFI/debian/grub.cfg"
	direct=(-drive "file=fat:rw:$esp,format=raw,if=virtio")
fi
trap 'kill $qemu $watcher $server 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
qemu='' watcher='' server=''

# Sleeps without a process for it: no data ever comes from descriptor 9, so the read times out.
nap()
{
	read -r -t "$1" -u 9 || true
}

# Waits until the time limit is over. While the machine is overloaded, a second counts less.
use_up_limit()
{
	local left=$((limit * 100)) cpus load part
	cpus=$(nproc)

	while [ $left -gt 0 ]; do
		nap 1
		read -r load _ </proc/loadavg
		part=$((10000 * cpus / (10#${load/./} + 1)))
		left=$((left - (part > 100 ? 100 : part < 34 ? 34 : part)))
	done
}

# Succeeds if the start line of the script is in the console, which descriptor 8 reads.
script_starts()
{
	local piece

	while IFS= read -r piece <&8; do
		line+=$piece
		[[ $line != 'guest: script starts'* ]] || return 0
		line=
	done
	line+=$piece	# the line may come in two pieces
	return 1
}

# Ends the guest if the guest does not boot in time, or its script does not end in time. $work/late
# has the reason.
watch()
{
	local since=$SECONDS line=

	exec 8<"$console" 9<>"$work/never"
	until script_starts; do
		if [ $((SECONDS - since)) -ge "$boot_limit" ]; then
			registers >"$out/boot.registers" 2>&1 || true
			late "the guest did not boot within $boot_limit s"
			return
		fi
		nap 0.5
	done
	: >"$work/booted"
	[ ${#dumps[@]} = 0 ] || { dump_at_panic; return; }
	use_up_limit
	wc -l <"$console" >"$work/lines"
	registers >"$out/late.registers" 2>&1 || true
	"$here/tasks.pl" "$work/monitor" "$work/serial" "$console" || true
	! goes_on_translated || : >"$work/stale"
	late "the guest did not end within $limit s (QEMU has used $(cpu_seconds) s of CPU)"
}

# Waits for the end of the guest's panic, and writes the dumps of its memory. Creates $work/dumped
# when they are complete.
dump_at_panic()
{
	local end=$((SECONDS + 3 * limit)) dump commands=(stop)

	until grep -q 'end Kernel panic' "$console"; do
		[ $SECONDS -lt $end ] || { late "the guest did not panic within $limit s"; return; }
		nap 0.1
	done
	for dump in "${dumps[@]}"; do
		commands+=('{"execute":"dump-guest-memory","arguments":{"paging":false,"protocol":"file:'"${dump#*:}"'","format":"'"${dump%%:*}"'"}}')
	done
	if "$here/qmp.pl" "$qmp" "${commands[@]}" >"$out/dump.log" 2>&1; then
		# Create the file before QEMU ends, because machine() then kills this process.
		: >"$work/dumped"
		"$here/qmp.pl" "$qmp" quit >>"$out/dump.log" 2>&1 || kill "$qemu"
	else
		late "QEMU did not write the dump: $(tail -n 1 "$out/dump.log")"
	fi
}

# Prints QEMU's answer to a command of its monitor.
ask_monitor()	# COMMAND
{
	perl -MIO::Socket::UNIX -e '
		my $monitor = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "boot: no monitor: $!\n";
		print $monitor "$ARGV[1]\n";
		$| = 1;
		alarm 5;	# the monitor does not close the connection
		print while <$monitor>;' "$work/monitor" "$1"
}

registers()
{
	ask_monitor "info registers -a"
}

# Makes QEMU discard its translations and translate one instruction at a time. Succeeds if a guest
# that was silent then prints something.
goes_on_translated()
{
	local bytes end

	[ "$threads" != single ] && [ -z "$icount" ] && [ "$(wc -l <"$console")" = "$(cat "$work/lines")" ] || return 1
	bytes=$(wc -c <"$console")
	ask_monitor "one-insn-per-tb on" >/dev/null 2>&1 || true
	end=$((SECONDS + 30))
	until [ "$(wc -c <"$console")" != "$bytes" ]; do
		[ $SECONDS -lt $end ] || return 1
		nap 0.5
	done
}

# Prints the CPU seconds that QEMU has used. If they are few, the guest waits for something.
cpu_seconds()
{
	local stat

	read -r stat 2>/dev/null <"/proc/$qemu/stat" || return 0
	set -- ${stat##*) }
	echo $(((${12} + ${13}) / $(getconf CLK_TCK)))
}

late()
{
	echo "$1" >"$work/late"
	kill "$qemu" 2>/dev/null
	sleep 5
	kill -KILL "$qemu" 2>/dev/null
}

# Starts the server of the shared folder, which ends with QEMU.
share_folder()
{
	rm -f "$work/share"
	"$here/share.pl" "$work/share" "$share" </dev/null >"$out/share.log" 2>&1 &
	server=$!
	for _ in $(seq 100); do
		[ ! -S "$work/share" ] || return 0
		nap 0.05
	done
	die "cannot share $share: $(tail -n 1 "$out/share.log")"
}

# Runs the machine to its end. Sets $status to QEMU's exit status.
machine()
{
	status=0
	: >"$console"
	rm -f "$work/out.img" "$work/scratch.img"
	truncate -s 1G "$work/out.img"
	[ "$disk" = 0 ] || truncate -s "${disk}M" "$work/scratch.img"
	rm -f "$work/late" "$work/stale" "$work/booted" "$work/monitor" "$work/serial" "$work/lines"
	[ -z "$share" ] || share_folder
	"$QEMU" -nodefaults -no-user-config -display none \
		-monitor "$monitor" "${nic[@]}" -no-reboot "${machine[@]}" \
		-m "$mem" "${accel[@]}" \
		"${drives[@]}" "${direct[@]}" "${serial[@]}" \
		<&7 >&6 2>"$work/qemu.log" &
	qemu=$!
	if [ -z "$gdb$tty" ]; then
		watch </dev/null >/dev/null 2>&1 &
		watcher=$!
	fi
	if [ -n "$echo" ]; then
		# Show only the lines of the script, which are between the two marker lines of init.
		tail -n +1 -s 0.2 -f --pid=$qemu "$console" 2>/dev/null | tr -d '\r' |
			sed -u -n '/^guest: script starts$/,/^guest: script ended/{/^guest: script/!p}'
	fi
	wait "$qemu" || status=$?
	qemu=''
	[ -z "$watcher" ] || { kill "$watcher"; wait "$watcher"; } 2>/dev/null || true
	watcher=''
}

# True if the kernel died at a breakpoint instruction (opcode cc) that its memory no longer has. The log
# of the Oops shows the bytes there, with <> around the byte after the breakpoint. QEMU has executed
# old code in this case.
stale_breakpoint()
{
	awk '
	/int3: 0000 \[#[0-9]+\]/ { met = 1 }
	met && match($0, /Code: [0-9a-f ]*<[0-9a-f]+>/) {
		before = substr($0, RSTART, RLENGTH)
		sub(/ *<[0-9a-f]+>$/, "", before)
		stale = before !~ / cc$/
		exit
	}
	END { exit !stale }' "$console"
}

boot_limit=${KUTRACE_BOOT_SECONDS:-300}
mkfifo "$work/never"
exec 9<>"$work/never"
# 7 and 6 are QEMU's input and output.
if [ -n "$tty" ]; then
	exec 7<&0 6>&1
else
	exec 7</dev/null 6>"$work/qemu.out"
fi
rm -f "$out/boot.registers" "$out/boot.console" "$out/stale.console" "$out/late.registers" "$out/late.tasks"
machine
# QEMU can be at fault only if the CPUs run at the same time.
if [ "$threads" = single ] || [ -n "$icount$tty$kvm" ]; then
	:
elif stale_breakpoint; then
	echo "boot: QEMU met a breakpoint that the guest's memory no longer has ($out/stale.console); the guest is run" \
		"once more" >&2
	cp "$console" "$out/stale.console"
	machine
elif [ -f "$work/stale" ]; then
	echo "boot: the guest hung until QEMU translated its code again, so QEMU had executed code that is no longer" \
		"in memory ($out/late.registers, stale.console); starting the guest again" >&2
	cp "$console" "$out/stale.console"
	machine
elif [ -f "$work/late" ] && [ ! -f "$work/booted" ]; then
	echo "boot: $(cat "$work/late"), and is started again; the CPUs were at" \
		"$(sed -n 's/.*\([ER]IP=[0-9a-f]*\).*/\1/p; s/.*\( PC=[0-9a-f]*\).*/\1/p' "$out/boot.registers" | tr '\n' ' ')" \
		"($out/boot.registers, boot.console)" >&2
	cp "$console" "$out/boot.console"
	machine
fi

sed -i 's/\r$//' "$console"
if [ -f "$work/late" ]; then
	# If $work/lines exists, it has the number of console lines before the kernel printed its
	# tasks.
	lines=$(cat "$work/lines" 2>/dev/null || true)
	echo "boot: $(cat "$work/late"); its last lines ($console):" >&2
	head -n "${lines:-1000000}" "$console" | tail -n 15 | sed 's/^/  | /' >&2
	[ -n "$lines" ] || exit 124
	tail -n "+$((lines + 1))" "$console" >"$work/tasks"
	"$here/tasks.pl" --list "$work/tasks" >"$out/late.tasks"
	[ -s "$out/late.tasks" ] || echo "the kernel printed nothing about its tasks" >"$out/late.tasks"
	sed 's/^/  | /' "$out/late.tasks" >&2
	exit 124
fi
if [ "$status" != 0 ]; then
	cat "$work/qemu.log" >&2
	die "QEMU failed with status $status"
fi

# --- the result ---
if [ ${#dumps[@]} != 0 ]; then
	[ -f "$work/dumped" ] && exit 0
	echo "boot: the guest ended without a panic; its last lines ($console):" >&2
	tail -n 15 "$console" | sed 's/^/  | /' >&2
	exit 125
fi
tar -xf "$work/out.img" -C "$out" --no-same-owner 2>"$work/tar.log" || true
# The log is part of the result, whatever status the script returned.
complaints='int3: 0000|WARNING:|BUG:|BUG |Oops|Call Trace|lockdep|INFO: |KASAN|KCSAN|UBSAN|unchecked MSR|rcu.*(stall|self-detected)|hung task|blocked for more than|general protection|Kernel panic|refcount_t|list_(add|del) corruption|scheduling while atomic|sleeping function|soft lockup|Unable to handle|use-after-free'
# An NMI handler takes long if the host lets QEMU wait, which is not the guest's fault.
expected='taints kernel|RCU lockdep checking is enabled| \? lockdep_[a-z_]*\+0x|NX-protecting|INFO: NMI handler .* took too long to run|rcu_cpu_stall_timeout|^$'
[ -z "$allow" ] || expected="$expected|$allow"
for log in "$console" "$out/dmesg"; do
	[ -f "$log" ] || continue
	grep -nE "$complaints" "$log" | grep -vE "$expected" | sed "s|^|${log##*/}:|" || true
done >"$work/complaints"
if [ -s "$work/complaints" ]; then
	echo "boot: the kernel log is not clean:" >&2
	head -n 20 "$work/complaints" >&2
	exit 120
fi
if [ ! -s "$out/status" ]; then
	echo "boot: the guest ended without a result; its last lines ($console):" >&2
	tail -n 15 "$console" | sed 's/^/  | /' >&2
	exit 125
fi
status=$(cat "$out/status")
if [ "$status" -gt 99 ]; then
	echo "boot: the guest's script exited with status $status" >&2
	status=99
fi
exit "$status"
