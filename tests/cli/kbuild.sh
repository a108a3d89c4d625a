#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fast
#
# Tests that the module's Kbuild finds the module's headers, for each working folder of the kernel's
# build and each value of src. Covers a module outside and inside the kernel tree, built in the tree
# and in another folder, and Linux before 6.10, from 6.10 on and from 6.13 on.
. tests/tap.sh
tap_begin

# Prints the include folders that Kbuild gives to the compiler, with make run in $1, src=$2 and
# srctree=$3. Appends "missing" to a folder that does not exist.
include_folders()
{
	(
		cd "$1" || exit 1
		printf 'include %s\nprint:\n\t@echo $(ccflags-y)\n' "$2/Kbuild" >"$TAP_TMP/makefile"
		[ -f "$2/Kbuild" ] || sed -i "s|^include .*|include $3/$2/Kbuild|" "$TAP_TMP/makefile"
		for flag in $(make -s -f "$TAP_TMP/makefile" src="$2" srctree="$3" SRCARCH=x86 \
			CONFIG_KUTRACE_MODULE=m print); do
			[ -f "${flag#-I}/core/ring.h" ] ||
				echo "$flag missing"
		done
		echo checked
	)
}

tree=$TAP_TMP/linux
mkdir -p "$tree/kernel/kutrace" "$tree/build" "$TAP_TMP/elsewhere"
cp -R module "$tree/kernel/kutrace/module"
cp -R module "$TAP_TMP/elsewhere/module"

# The value of src and the working folder, by kernel release.
is "outside, up to 6.12: an absolute path, from the kernel's tree" \
	"$(include_folders "$tree" "$TAP_TMP/elsewhere/module" .)" checked
is "outside, from 6.13 on: the module's folder, from there" \
	"$(include_folders "$TAP_TMP/elsewhere/module" . "$tree")" checked
is "inside, built in the tree" \
	"$(include_folders "$tree" kernel/kutrace/module .)" checked
is "inside, built beside it, before 6.10: relative to the tree's top" \
	"$(include_folders "$tree/build" kernel/kutrace/module ..)" checked
is "inside, built beside it, from 6.10 on: relative to where make is" \
	"$(include_folders "$tree/build" ../kernel/kutrace/module ..)" checked

# Counts the functions of module/probes/ with the arguments of a probe, and lists those that do
# not begin with the guard.
probes=$(sed 's/ *\\$//' module/probes/*.c module/probes/*/*.c | awk '
	/^static .*\(void \*data/ { name = $0; sub(/\(void.*/, "", name); sub(/.* /, "", name); n++ }
	name && /^{/ { getline; if ($1 != "ku_probe_guard();") bad = bad " " name; name = "" }
	END { print n ":" bad }')
between "there are probes" "${probes%%:*}" 20 100
is "each begins with its guard" "${probes#*:}" ""
tap_end
