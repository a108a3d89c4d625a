#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs as root in the guest of play.sh: mounts the shared folder, loads kutrace.ko, and starts a shell on
# the console, or a command under a recording. /play has the values of play.sh.
. /play
bin=/opt/kutrace/bin
console=/dev/$(sed 's/.* //' /sys/class/tty/console/active)
mkdir -p /dev/pts /share
mount -t devpts devpts /dev/pts
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
ln -s /proc/self/fd /dev/fd
hostname kutrace
for driver in $KU_DRIVERS; do
	insmod /lib/modules/$driver.ko 2>/dev/null
done
must insmod /lib/kutrace.ko
if [ -n "$KU_SERVED" ]; then
	must mount -t virtiofs share /share
else
	mkdir /out/share
	mount --bind /out/share /share
fi
if [ -d /sys/class/net/eth0 ]; then
	ifconfig eth0 10.0.2.15 netmask 255.255.255.0 up
	route add default gw 10.0.2.2
fi
{
	[ -z "$KU_DNS_SEARCH" ] || echo "search $KU_DNS_SEARCH"
	echo "nameserver 10.0.2.3"
} >/etc/resolv.conf
echo "127.0.0.1 localhost kutrace" >/etc/hosts

# Prints at most eight lines.
greeting()
{
	echo "KUtrace on Linux $KU_KVER, $KU_CPUS CPUs. The module is loaded, you are root. Try:"
	if [ -x $bin/kutrace ]; then
		echo "  kutrace run -- ls -lR /opt    # records and explains a command; makes ls.trace and the page ls.html"
		echo "  kutrace why ls.trace          # all steps of the command, and what each wait was for"
	else
		echo "  kutrace_control run -o /share/ls.trace -- ls -lR /opt    # records a command"
		echo "  on the host: build/bin/rawtohtml $KU_SHARE/ls.trace -o ls.html    # makes the page"
	fi
	[ "$KU_ROOT" != debian ] || echo "  apt update && apt install nginx                          # Debian keeps your changes"
	if [ -n "$KU_SERVED" ]; then
		echo "This folder, /share, is $KU_SHARE on the host. Open ls.html there."
	else
		echo "The guest's /share comes to $KU_SHARE on the host when the guest ends."
	fi
	echo "Manual: man kutrace. To leave: exit. If the guest hangs: ^] x."
}

# Prepares busybox's shell, or bash in Debian.
profile()	# FILE
{
	cat >"$1" <<PROFILE
export TERM='$KU_TERM' PATH=$bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
export XDG_DATA_DIRS=/opt/kutrace/share:/usr/local/share:/usr/share MANPATH=/opt/kutrace/share/man:
export DEBIAN_FRONTEND=noninteractive KUTRACE_GUEST_SHARE='$(echo "$KU_SHARE" | sed "s/'/'\\\\''/g")'
stty rows $KU_ROWS columns $KU_COLUMNS 2>/dev/null
cd /share
PROFILE
}

cat >/bin/man <<'MAN'
#!/bin/sh
# Shows a man page that the host has formatted: man [SECTION] PAGE.
section='?'
case $1 in
[1-9]) section=$1; shift ;;
esac
for page in /opt/kutrace/share/man/cat$section/"$1".$section; do
	[ ! -f "$page" ] || exec less "$page"
done
echo "man: no page $1 (the host formats the pages; it needs groff-base)" >&2
exit 16
MAN
chmod 755 /bin/man

top=
if [ "$KU_ROOT" = debian ]; then
	top=/debian
	mkdir $top
	must mount -t ext4 /dev/vdb $top
	mkdir -p $top/opt/kutrace $top/share
	mount --bind /opt/kutrace $top/opt/kutrace
	mount --rbind /share $top/share
	for folder in proc sys dev; do
		mount --rbind /$folder $top/$folder
	done
	mount -t tmpfs tmp $top/tmp
	mount -t tmpfs run $top/run
	mkdir -p $top/run/lock
	chmod 1777 $top/tmp $top/run/lock
	cp /etc/resolv.conf /etc/hosts $top/etc/
	hostname >$top/etc/hostname
fi

# Runs a command in the chosen root.
inside()	# COMMAND...
{
	if [ -n "$top" ]; then
		chroot $top "$@"
	else
		"$@"
	fi
}

if [ -n "$KU_CMD" ]; then
	profile $top/tmp/profile
	printf '. /tmp/profile\ncd /tmp\n%s\n' "$KU_CMD" >$top/tmp/cmd
	inside $bin/kutrace_control run --no-findings -o /share/cmd.trace -- \
		sh -c 'exec sh /tmp/cmd >/share/cmd.out 2>/share/cmd.err' >/share/cmd.log 2>&1 </dev/null
	echo $? >/share/cmd.status
else
	if [ -n "$top" ]; then
		profile $top/root/.profile
		shell="bash -l"
		echo "[ ! -f /usr/share/bash-completion/bash_completion ] || . /usr/share/bash-completion/bash_completion" >>$top/root/.profile
	else
		profile /root/.profile
		shell="sh -l"
	fi
	stty sane <$console
	greeting >$console
	HOME=/root setsid -c ${top:+chroot $top} $shell <$console >$console 2>&1
fi
# Ignores the shell's exit status: the guest's status is 0.
if [ -n "$top" ]; then
	for pid in $(ls -d /proc/[0-9]* | sed 's|/proc/||'); do
		[ "$(readlink /proc/$pid/root)" != $top ] || kill "$pid" 2>/dev/null
	done
	usleep 300000
	umount -r $top 2>/dev/null || mount -o remount,ro $top 2>/dev/null
	sync
fi
exit 0
