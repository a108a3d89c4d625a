#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests `make demo` on a bare machine: in a minimal root folder of a Debian release that has only git
# and make in addition. The demo must change nothing but packages, the cache and its build folder, and
# must stay below limits of packages, download and time. `make check-packages` runs it. Needs root and
# debootstrap, and takes five minutes or more. Must change nothing outside its root folder, which is in
# $TMPDIR or /var/tmp and is removed at the end.
#
#	tests/packages/demo.sh bookworm|trixie [BASE]
#
# With BASE, it copies this root folder, which has git and make, instead of making one. Prints TAP, and
# the output of the demo on stderr.
#
# The limits of time hold for two idle CPUs. Other load must make no test fail, so the test limits the
# CPU time.
set -u
. tests/tap.sh
tap_begin
suite=${1:?release of Debian}
base=${2-}

if [ "$(id -u)" != 0 ]; then
	echo '1..0 # SKIP not root'
	exit 77
fi
. tests/packages/bare.inc
work=$(mktemp -d "${TMPDIR:-/var/tmp}/kutrace-demo.XXXXXX")
trap 'rm -rf "$work" "$TAP_TMP"' EXIT
trap 'exit 130' INT TERM
root=$work/root

if [ -n "$base" ]; then
	cp -a "$base" "$root"
elif ! bare_make "$suite" "$root" || ! bare_in "$root" "$bare_apt update && $bare_apt install git make" >"$TAP_TMP/said" 2>&1; then
	fail "a root folder of $suite, with git and make" "$(tail -n 5 "$TAP_TMP/said" 2>/dev/null)"
	tap_end
fi
# The demo begins without lists of packages and without downloaded packages.
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/archives/*.deb "$root/root/.cache" "$root/root/kutrace"
mkdir "$root/root/kutrace"
git ls-files --cached --others --exclude-standard -z | while IFS= read -r -d '' file; do
	[ ! -f "$file" ] || printf '%s\0' "$file"
done | tar --null -T - -cf - | tar -C "$root/root/kutrace" -xf -

# Replaces apt-get by a script that also writes the reports of apt-get to a file.
mv "$root/usr/bin/apt-get" "$root/usr/bin/apt-get.real"
cat >"$root/usr/bin/apt-get" <<'END'
#!/bin/bash
set -o pipefail
/usr/bin/apt-get.real "$@" | tee -a /var/log/apt-get.said
END
chmod 755 "$root/usr/bin/apt-get"
: >"$root/var/log/apt-get.said"

# Prints a line for each file and folder below the given ones, with a sum of its content.
state_of()	# FOLDER...
{
	(cd "$root" && find "$@" 2>/dev/null | LC_ALL=C sort | while IFS= read -r path; do
		if [ -L "$path" ]; then
			echo "$path $(readlink "$path")"
		elif [ -f "$path" ]; then
			echo "$path $(stat -c '%a %u %g' "$path") $(md5sum <"$path")"
		else
			echo "$path $(stat -c '%a %u %g' "$path")"
		fi
	done)
}
names()
{
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys -o -path ./run -o -path ./var/lib/dpkg \
		-o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log -o -path ./root/kutrace/build \
		-o -path ./root/.cache/kutrace \) -prune -o -print | LC_ALL=C sort)
}
# The merged /usr: packages of Debian 12 name files below /lib and /bin.
merged() { sed -E 's#^\.?/(lib|lib64|bin|sbin)/#./usr/\1/#; s#^/#./#' | LC_ALL=C sort -u; }
packages() { bare_in "$root" "dpkg-query -W -f '\${Package}\n'" | LC_ALL=C sort; }
# Prints the megabytes that apt fetched, by its own reports.
received()
{
	awk '/^Fetched / { size = $2; if ($3 == "kB") size /= 1e3; if ($3 == "B") size /= 1e6; sum += size } END { printf "%.0f\n", sum }' "$root/var/log/apt-get.said"
}
# Prints the CPU time of the demo and of its finished children in seconds.
cpu_of_demo()
{
	local process hz
	hz=$(getconf CLK_TCK)
	for process in /proc/[0-9]*; do
		[ "$(readlink "$process/root")" = "$root" ] &&
			tr '\0' ' ' <"$process/cmdline" | grep -q '^bash tests/demo/demo.sh\|^/bin/bash tests/demo/demo.sh' || continue
		sed 's/.*) //' "$process/stat"
	done 2>/dev/null | awk -v hz="$hz" '{ cpu = $12 + $13 + $14 + $15; if (cpu > most) most = cpu } END { printf "%.0f\n", most / hz }'
}

packages >"$TAP_TMP/packages.before"
state_of boot lib/modules usr/lib/modules >"$TAP_TMP/kernel.before"
state_of etc >"$TAP_TMP/etc.before"
names >"$TAP_TMP/names.before"
began=$(date +%s%3N)
first='' first_cpu=''
mkfifo "$TAP_TMP/lines"
bare_in "$root" "cd /root/kutrace && time make demo" >"$TAP_TMP/lines" 2>&1 &
demo=$!
while IFS= read -r line; do
	printf '%s\n' "$line"
	case $line in
	*"the first page: "*) first=$(($(date +%s%3N) - began)) first_cpu=$(cpu_of_demo) ;;
	esac
done <"$TAP_TMP/lines" >"$TAP_TMP/said"
wait $demo
status=$?
whole=$(($(date +%s%3N) - began))
fetched=$(received)
sed 's/^/# /' "$TAP_TMP/said" >&2
is "make demo: exit status" "$status" 0
whole_cpu=$(awk '/^(user|sys)\t/ { split($2, t, "m"); sum += t[1] * 60 + t[2] } END { printf "%.0f\n", sum }' "$TAP_TMP/said")
# Each message about a download has its size.
announced=$(sed -n 's/.*[:,] \([0-9.]*\) MB to download.*/\1/p' "$TAP_TMP/said" | awk '{ sum += $1 } END { printf "%.0f\n", sum }')
diag "first page after $((first / 1000)) s (CPU time $first_cpu s), all after $((whole / 1000)) s (CPU time $whole_cpu s), load now $(cut -d ' ' -f 1 /proc/loadavg)"
diag "announced downloads: $announced MB; fetched by apt: $fetched MB"

page()	# NAME
{
	ok "$1 is a page" grep -q '<meta http-equiv="Content-Security-Policy"' "$root/root/kutrace/build/demo/$1"
}
page sample.html
page demo.html
between "CPU time until the first page, seconds" "${first_cpu:-none}" 1 90
between "CPU time of all, seconds" "$whole_cpu" 1 360
between "announced downloads, MB" "$announced" 50 150
between "fetched by apt, MB" "$fetched" "$announced" 150
like "the end has the known faults, or that there are none" "$(cat "$TAP_TMP/said")" '^(known faults|no known fault was found) that concerns? workload\.[0-9]+, its threads (and|or) its children'
like "the end has the longest waits" "$(cat "$TAP_TMP/said")" '^ +[0-9.]+ ms in [a-z0-9_]+ +at [0-9.]+ s: '
like "the end has the command that fetches the page" "$(cat "$TAP_TMP/said")" ' scp [^ ]+:/root/kutrace/build/demo/demo\.html \.$'

packages >"$TAP_TMP/packages"
LC_ALL=C comm -13 "$TAP_TMP/packages.before" "$TAP_TMP/packages" >"$TAP_TMP/new"
diag "$(wc -l <"$TAP_TMP/new") new packages: $(tr '\n' ' ' <"$TAP_TMP/new")"
between "new packages" "$(wc -l <"$TAP_TMP/new")" 10 80
is "no kernel, no initramfs, no systemd, no udev" \
	"$(grep -E '^(linux-(image|headers|kbuild|modules|binary|base)|initramfs-tools|dracut|systemd|udev)' "$TAP_TMP/new")" ""

is "/boot and /lib/modules are as before" "$(state_of boot lib/modules usr/lib/modules | diff "$TAP_TMP/kernel.before" -)" ""
# What the packages of apt install in /etc, and what their scripts make there.
bare_in "$root" "cat /var/lib/dpkg/info/*.list" | merged >"$TAP_TMP/owned"
state_of etc | diff "$TAP_TMP/etc.before" - | sed -n 's/^[<>] \([^ ]*\).*/.\/\1/p' | LC_ALL=C sort -u >"$TAP_TMP/etc.changed"
LC_ALL=C comm -23 "$TAP_TMP/etc.changed" "$TAP_TMP/owned" >"$TAP_TMP/etc.scripts"
diag "changes in /etc: $(wc -l <"$TAP_TMP/etc.changed"), by the packages' scripts: $(tr '\n' ' ' <"$TAP_TMP/etc.scripts")"
is "/etc has no other changes than those of packages" \
	"$(grep -vE '^\./etc/(alternatives/[^/]+|ld\.so\.cache|resolv\.conf)$' "$TAP_TMP/etc.scripts")" ""
# Files elsewhere: packages own them.
# Links of Debian's alternatives are made by the packages' scripts.
names | LC_ALL=C comm -13 "$TAP_TMP/names.before" - | merged | LC_ALL=C comm -23 - "$TAP_TMP/owned" | while IFS= read -r name; do
	case $name$(readlink "$root/$name") in
	./etc/alternatives/* | */etc/alternatives/* | ./root/.cache) ;;
	*) echo "$name" ;;
	esac
done >"$TAP_TMP/names.new"
is "no other new file" "$(cat "$TAP_TMP/names.new")" ""
is "nothing is left in /tmp" "$(ls -A "$root/tmp")" ""
tap_end
