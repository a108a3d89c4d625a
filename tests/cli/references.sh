#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# takes: 3
# fast
#
# Checks that each reference from prose to code is valid: paths, functions written as `name()`, names
# with our prefixes, links with their anchors, and our manual pages. Prose is README.md, docs/, the
# texts of kernel-patches/, and the comments of sources. The check first reads a small tree with every
# fault in it, so a check that finds nothing cannot pass.
. tests/tap.sh
tap_begin
here=$(pwd)

# Functions of the kernel, of C libraries and of other programs that no code here calls.
outside_functions='
BIT_ULL BUG closefrom do_page_fault do_trap_break do_trap_ecall_u do_trap_insn_illegal
do_trap_misaligned do_trap_software_check get_user_pages getopt handle_IPI initgroups
insn_get_modrm irq_set_chained_handler perf_event_read_local rand rdtsc rdtsc_ordered
reboot restart_syscall sched_tick_remote send_ipi_mask send_ipi_single syscall_enter_from_user_mode syscall_handler
this_cpu_cmpxchg x86_pmu_read'

# Files of the kernel and of other programs.
outside_files='
arch/riscv/kernel/traps.c asm/unistd-eabi.h basetypes.h checkpatch.pl Encodings.md entry-common.c
flamegraph.pl irqdesc.c kernel/kutrace/module/ kernel/kutrace/module/uapi/ linux/nmi.h smp.c traps.c
x86/irq x86/nmi x86/traps'

# Names of installed files, of built files, and of examples.
examples='
KUTRACE_POINT_OFF_category KUTRACE_POINT_OFF_disk_io KUTRACE_POINT_OFF_name NAME_down NAME_up a.b.c
a.c boot/ guest/2aef9ff9-....parquet guest/TRACE_ID.parquet irq/NUMBER-NAME kernel/metadata
kp_event.ts kutrace_0 kutrace_1 kutrace_event_827 lib/modules lib/modules/ lib/modules/*
lib/systemd/system/kutrace-recorder.service
lib/sysusers.d/kutrace.conf lib/udev/rules.d/60-kutrace.rules,lib/sysusers.d/kutrace.conf
migration/N modules/ script.sh templates/built tests/cli/x.sh x.sh'

# Wrong references that the check accepts: "KIND FILE TEXT".
known=

# Prints the wrong references of the tree $1, and writes the numbers of references to $TAP_TMP/counts.
wrong()
{
	(
		cd "$1" || exit 1
		{
			find . \( -name .git -o -path './build*' -o -name node_modules \) -prune -o -print | sed -n 's|^\./||p'
			# further tests of a script
			grep -Hs '^# also: ' tests/*/*.sh | sed 's|[^/]*:# also: \([a-z0-9_]*\) .*|test_\1|'
		} | LC_ALL=C sort >"$TAP_TMP/tree"
		files=$(grep -E -e '^(README\.md|tests/(data|guest)/README\.md|kernel-patches/.*\.(md|patch|txt|rst))$' \
			-e '^docs/(.*\.(md|[1-9])|reference/man/aliases)$' -e '^tests/(run|bench/run|guest/init|guest/unload)$' \
			-e '\.(c|h|S|def|inc|in|ts|mjs|css|sh|bash|awk|mk|pl)$' -e '(^|/)(Makefile|Kbuild|Kconfig)$' \
			"$TAP_TMP/tree" | grep -v '^tests/cli/references\.sh$')
		rm -f "$TAP_TMP/counts"
		LC_ALL=C awk -v outside="$outside_functions $outside_files $examples" -v counts="$TAP_TMP/counts" \
			-f "$here/tests/references.awk" "$TAP_TMP/tree" $files
	)
}

# --- the check itself, on a tree with every fault ---

. tests/cli/faulty_tree.inc
put README.md '# One' 'See `lib/good.c`, `lib/gone.c`, lib/gone/ and [two](docs/two.md), [its part](docs/two.md#the-part-of-two),' \
	'[no part](docs/two.md#no-part), [no file](docs/three.md), [here](#one), [away](https://example.org/x.c).' \
	'/x/[0-9]*/y/*/z `lib/*.c` `lib/*.h` `lib/{good,twin}.c` `lib/{good,gone}.S` either/or, on/off, /usr/x.c, good.c, bad.c' \
	'`good()` `bad()` `late()` `comment_only()` `go*()` `none*()` `_name()`'
put docs/two.md '# Two' '## The part, of `two()`' '`two()` [up](../README.md) [in](lib/good.c)' '```' '# no heading' '```' '[x](#no-heading)'
put docs/reference/man/kutrace_x.3 '.SH NAME' 'kutrace_x \- calls' '.BR good ()' 'and' '.BR bad ()' '.BR kutrace_x (3)' '.BR kutrace_y (3),' \
	'.BR poll (2)' '\fIlib/good.c\fR and \fIlib/kutrace\-gone.c\fR'
put lib/good.c '/* good() calls late(), and' ' * bad(), in lib/good.h. comment_only() */' 'int good(void) { return late("/* lost() */"); } // gone()' \
	'char *s = "hook_name"; /* hook_name(), see lib/good.c:3 */' 'DEFINE_HOOK(made, int) /* made() */' \
	'int ku_here = KU_MAX; /* ku_here, KU_MAX, KU_, ku_gone and KP_LOST. */'
put lib/twin.c 'int twin(void) { return two(0) + gone; }'
put lib/page.ts 'const note = (a) => a; // note() and noted(), `lib/page.ts`' "const text = '// quoted()';"
put lib/run.sh '#!/bin/sh' '# calls start() and stop(), lib/run.sh, run.sh and lib/walk.sh' 'start()' '{' ' :' '}' \
	'printf "%s" x # see lib/none.mk'
wrong "$bad" >"$TAP_TMP/got" 2>"$TAP_TMP/err"
is "reading a tree reports no other error" "$(cat "$TAP_TMP/err")" ""
tr '\t' ' ' <"$TAP_TMP/got" | LC_ALL=C sort >"$TAP_TMP/found"
cat >"$TAP_TMP/expected" <<'EXPECTED'
function README.md:5: bad
function README.md:5: comment_only
function README.md:5: none*
function docs/reference/man/kutrace_x.3:5: bad
function lib/good.c:2: bad
function lib/good.c:2: comment_only
function lib/good.c:3: gone
function lib/page.ts:1: noted
function lib/run.sh:2: stop
link README.md:3: docs/three.md
link README.md:3: docs/two.md#no-part
link docs/two.md:3: lib/good.c
link docs/two.md:7: #no-heading
page docs/reference/man/kutrace_x.3:7: kutrace_y.3
name lib/good.c:6: KP_LOST
name lib/good.c:6: ku_gone
path README.md:2: lib/gone.c
path README.md:2: lib/gone/
path README.md:4: bad.c
path README.md:4: lib/*.h
path README.md:4: lib/{good,gone}.S
path docs/reference/man/kutrace_x.3:9: lib/kutrace-gone.c
path lib/good.c:2: lib/good.h
path lib/run.sh:2: lib/walk.sh
path lib/run.sh:7: lib/none.mk
EXPECTED
while read -r line; do
	if grep -qxF -e "$line" "$TAP_TMP/found"; then
		pass "found: $line"
	else
		fail "found: $line"
	fi
done <"$TAP_TMP/expected"
is "right references are not reported" "$(LC_ALL=C sort "$TAP_TMP/expected" | LC_ALL=C comm -13 - "$TAP_TMP/found")" ""

# --- this tree ---

wrong . >"$TAP_TMP/got"
tr '\t' ' ' <"$TAP_TMP/got" | sed 's/:[0-9]*: / /' | LC_ALL=C sort -u >"$TAP_TMP/found"
printf '%s\n' "$known" | sed '/^$/d' | LC_ALL=C sort >"$TAP_TMP/known"
is "no reference is on the list of known faults without need" "$(LC_ALL=C comm -23 "$TAP_TMP/known" "$TAP_TMP/found")" ""
is_known()
{
	_text=$(printf '%s\n' "$1" | tr '\t' ' ' | sed 's/:[0-9]*: / /')
	grep -qxF -e "$_text" "$TAP_TMP/known"
}
for kind in path function name link page; do
	grep "^$kind" "$TAP_TMP/got" >"$TAP_TMP/these"
	: >"$TAP_TMP/wrong"
	while read -r line; do
		is_known "$line" || printf '%s\n' "${line#"$kind"}" >>"$TAP_TMP/wrong"
	done <"$TAP_TMP/these"
	if [ -s "$TAP_TMP/wrong" ]; then
		fail "each $kind that prose names exists"
		sed 's/^/#   /' "$TAP_TMP/wrong" >&2
	else
		pass "each $kind that prose names exists"
	fi
done
read -r files paths functions names links pages <"$TAP_TMP/counts"
diag "checked in $files files: $paths paths, $functions functions, $names names, $links links, $pages manual pages"
between "the check reads the sources" "$files" 1000 100000
between "the check reads the prose" "$((paths + functions + names + links + pages))" 3000 1000000
tap_end
