#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# timeout: 4200
# takes: 200
# needs: patched
# also: series_612 KUTRACE_PATCHED_KVER=6.12 timeout: 6000 full
# also: series_72 KUTRACE_PATCHED_KVER=7.2 timeout: 6000 full
#
# The patches apply, pass checkpatch, build one by one, and change nothing while configured off. All
# checks use one kernel tree with the stripped configuration:
#
#	mails		git am of the formatted series gives what apply.sh gives
#	style		checkpatch.pl --strict has no complaint about a mail, except those listed in accepted
#	apply		a tree that does not match is refused by hunk, and not changed
#	exceptions	every exception that the kernel declares calls its hooks
#	m		CONFIG_KUTRACE=m is refused, and does not become n
#	identity	with CONFIG_KUTRACE=n every object has the code and data of the
#			unpatched build
#	warnings	W=1, sparse and objtool print nothing new
#	categories	without any one of them, the kernel builds, and no object calls its hooks
#	series		the kernel builds after each patch
#	version		a kernel refuses a module made for other hooks
#
# Without KUTRACE_FULL (make check-full) the test compiles only the files that the series changes,
# because each state of the tree would need a kernel build. "identity" and "warnings" then check
# only these objects, "categories" tests only the first category, and "series" reverts only the last
# patch. All objects are compiled once, with W=1. With KUTRACE_FAST (make check) the test is only
# "mails", "style" and "apply". A success is stored and reused while sources and compilers are the
# same (tests/reuse.inc). KUTRACE_PATCHED_KVER selects the release of the series (default 6.1).
# Objects do not contain line numbers, because CONFIG_DEBUG_BUGVERBOSE is off.
set -u
. tests/guest/lib.sh
. tests/keys.inc
. tests/reuse.inc
tap_begin
kver=${KUTRACE_PATCHED_KVER:-6.1} jobs=$(nproc)
OUT=$BUILD/tests/guest/series-$kver
rm -rf "$OUT"
mkdir -p "$OUT"
OUT=$(realpath "$OUT")

die()
{
	fail "$*" "cannot go on"
	tap_end
}

here=$(realpath kernel-patches)
patches=$here/linux-$kver
. "$here/lib.sh"
kernel_source
work=$(mktemp -d "$cache/.tmp.XXXXXX") || exit 1
trap 'rm -rf "$work" "$TAP_TMP"' EXIT
tree=$work/tree
mapfile -t series < <(grep -v '^#' "$patches/series")
# Every file that the series changes.
mapfile -t touched < <(cd "$patches" && sed -n 's|^--- a/||p' "${series[@]}" | sort -u)
# The changed sources, except sources of arm64, which this configuration does not compile.
mapfile -t sources < <(printf '%s\n' "${touched[@]}" | grep '\.c$' | grep -v '^arch/arm64/')
# Hides the git tree: in a git tree, checkpatch also checks licences, with a Python module that no
# kernel build needs.
checkpatch()
{
	GIT_DIR=none "$tree/scripts/checkpatch.pl" --strict --no-summary --terse --root "$tree" "$@"
}

# build LOG TARGET...: builds the targets, with the output in $OUT/LOG.log.
build()
{
	local log=$OUT/$1.log
	shift
	kernel_make "$tree" "$@" >"$log" 2>&1
}

# configure LOG [LINE...]: configures the kernel: the stripped configuration, the lines, and options for more handlers of
# exceptions. The output goes to $OUT/LOG.config.log.
configure()
{
	local log=$1
	shift
	{
		cat "$here/configs/stripped.config"
		printf 'CONFIG_%s=y\n' EFI EFI_STUB AMD_MEM_ENCRYPT
		[ $# = 0 ] || printf '%s\n' "$@"
	} >"$work/config"
	kernel_config "$tree" "$work/config" >"$OUT/$log.config.log" 2>&1
}

# compile STATE: builds the targets, with their warnings in $OUT/STATE.log and $OUT/STATE.W1.log.
# W=1 does not change the code, so without KUTRACE_FULL one build with W=1 is enough.
compile()
{
	local sparse=(-k W=1 C=2 CHECK=sparse "${objects[@]}")

	if [ -n "${KUTRACE_FULL-}" ]; then
		build "$1" "${targets[@]}" && { build "$1.W1" "${sparse[@]}" || true; }
	else
		build "$1" "${sparse[@]}" "${targets[@]}" && cp "$OUT/$1.log" "$OUT/$1.W1.log"
	fi
}

# Prints the warnings of a build: file and text, without line numbers and addresses.
complaints()
{
	grep -hE 'warning:|error:|WARNING:|objtool' "$@" |
		sed -E 's/:[0-9]+(:[0-9]+)?:/:/; s/\+0x[0-9a-f]+//g; s/^ *[A-Z]+ +objtool.*//' | sort -u
}

# --- apply ---
refuses()
{
	victim=${sources[0]}
	cp -p "$tree/$victim" "$work/victim"
	# Remove a line that the first patch of this file needs.
	line=$(cd "$patches" && awk -v file="$victim" '/^--- a\// { at = ($2 == "a/" file) }
		at && /^ [^ ]/ || at && /^ \t.*[a-z]/ { print substr($0, 2); exit }' "${series[@]}")
	grep -vxF -- "$line" "$work/victim" >"$tree/$victim"
	touch -r "$work/victim" "$tree/$victim"
	is "apply: a tree that does not match is refused" \
		"$("$here/apply.sh" "$tree" "$kver" 2>"$OUT/refused"; echo $?)" 1
	like "apply: the error names the file" "$(cat "$OUT/refused")" "$victim"
	like "apply: the error has the hunk's lines" "$(cat "$OUT/refused")" '^  @@ '
	cp -p "$work/victim" "$tree/$victim"
	find "$tree" -type f -print0 | sort -z | xargs -0 ls -ln --time-style=+ >"$work/tree.after"
	ok "apply: the refused tree is not changed" cmp "$work/tree.before" "$work/tree.after"
	rm -f "$work"/tree.*
}

# what_is_built TARGET...: sets $targets to the whole kernel, or without KUTRACE_FULL to these.
what_is_built()
{
	targets=(vmlinux modules) warnings=()
	[ -n "${KUTRACE_FULL-}" ] || targets=("$@") warnings=(W=1)
}

# --- unpatched ---
builds_unpatched()
{
	configure unpatched || die "the unpatched kernel is configured"
	build unpatched.prepare prepare || die "the unpatched tree is prepared"
	# Find the compiled sources. Some, such as kernel/locking/rtmutex.c, are included by another
	# file.
	objects=()
	for file in "${sources[@]}"; do
		name=${file##*/}
		! grep -qw -- "${name%.c}\.o" "$tree/${file%/*}/Makefile" || objects+=("${file%.c}.o")
	done
	what_is_built "${objects[@]}"
	compile unpatched || die "the unpatched kernel is built"
	for file in "${objects[@]}"; do
		[ -f "$tree/build/$file" ] || fail "this configuration compiles $file" "it does not"
	done
	(cd "$tree/build" && find . -name '*.o' | cpio --quiet -pdm "$work/unpatched")
	between "sources of the series that this configuration compiles" ${#objects[@]} 20 1000
}

# --- hooks as a module ---
refuses_m()
{
	if configure m CONFIG_KUTRACE=m; then
		fail "m: CONFIG_KUTRACE=m is refused" "$(grep KUTRACE "$tree/build/.config")"
	else
		like "m: CONFIG_KUTRACE=m is refused, and the error names what to write" "$(cat "$OUT/m.config.log")" \
			'CONFIG_KUTRACE=m: .*CONFIG_KUTRACE=y and CONFIG_KUTRACE_MODULE=m$'
	fi
}

# --- patched, not configured ---
builds_absent()
{
	ok "apply: the series applies" "$here/apply.sh" "$tree" "$kver"
	refuses_m
	configure absent
	grep -q '^CONFIG_KUTRACE' "$tree/build/.config" && fail "KUTRACE is n by default" "it is not"
	compile absent || die "the patched kernel with KUTRACE=n is built"
	if "$here/compare.sh" "$work/unpatched" "$tree/build" >"$OUT/identity"; then
		pass "identity: $(tail -n 1 "$OUT/identity")"
	else
		fail "identity: every object has the code of the unpatched build" "$(tail -n 20 "$OUT/identity")"
	fi
}

# --- mails ---
# am_tree TREE MAILS: makes a git tree of the files that the series changes, and applies the mails.
am_tree()
{
	git init -q "$1" && (cd "$source" && cpio --quiet -pdm "$1" < <(printf '%s\n' "${touched[@]}")) &&
		git -C "$1" add -A &&
		git -C "$1" -c user.name=base -c user.email=base@example.org commit -q -m base &&
		git -C "$1" -c user.name=tester -c user.email=tester@example.org am -q "$2"/0*.patch
}

# Prints the lines about the control system call in a tree with the mails. Omits struct
# kutrace_control, which belongs to the device.
traces_of_control()
{
	grep -rnE --exclude-dir=.git '\<1023\>|(^config |CONFIG_)KUTRACE_CONTROL|kutrace_(is_control|set_control|control\(|control\.h)|KUTRACE_CALL\>|kutrace_call\.h|ku_syscall_allow|[Cc]ontrol (system )?call' \
		include/linux/kutrace* arch kernel/kutrace tools/testing/selftests/kutrace Documentation/trace/kutrace.rst |
		grep -v 'struct kutrace_control\>'
}

applies_as_mails()
{
	ok "mails: the series is formatted" "$here/format.sh" "$kver" "$work/mails"
	ok "mails: git am takes them" am_tree "$work/am" "$work/mails"
	mkdir "$work/applied"
	(cd "$source" && cpio --quiet -pdm "$work/applied" < <(printf '%s\n' "${touched[@]}" Kbuild Makefile))
	ok "mails: apply.sh patches the same files" "$here/apply.sh" "$work/applied" "$kver"
	rm -f "$work/applied/Kbuild" "$work/applied/Makefile"
	is "mails: git am gives the tree of apply.sh" \
		"$(diff -rq --exclude=.git "$work/am" "$work/applied" 2>&1)" ""
	is "mails: author and sign-off are the maintainer of the series" \
		"$(git -C "$work/am" log --format='%an <%ae>|%(trailers:key=Signed-off-by,valueonly,separator=;)' |
			grep -v '^base ' | sort -u)" \
		"$(sed -n 's/^M:\t\(KUtrace.*\)/\1|\1/p' "$work/am/MAINTAINERS")"
	ok "mails: the series is formatted without the control call" \
		"$here/format.sh" --without-control "$kver" "$work/less"
	ok "mails: git am takes it without the control call" am_tree "$work/am.less" "$work/less"
	is "mails: without the control call, no trace of it is left" \
		"$(cd "$work/am.less" && traces_of_control)" ""
	is "mails: with the control call, the same search finds it everywhere" \
		"$(cd "$work/am" && traces_of_control | cut -d: -f1 | cut -d/ -f1-2 | sort -u | tr '\n' ' ')" \
		"$(grep -q arm64 "$patches/series" && echo 'arch/arm64 ')arch/x86 include/linux kernel/kutrace "
	rm -rf "$work/am" "$work/am.less" "$work/applied"
}

# --- style ---
# Accepted complaints about the module, with the reasons: FILE TYPE...; FILE is an extended regular
# expression.
accepted=(
	# Rows of kutrace_events.def become enumerators, initializers and statements. A macro uses only the columns
	# that it needs, and a macro of a missing feature uses no argument. Only later releases of checkpatch report
	# unused arguments.
	'uapi/kutrace_events\.h COMPLEX_MACRO'
	'core/kinds\.c BRACKET_SPACE MULTISTATEMENT_MACRO_USE_DO_WHILE TRAILING_SEMICOLON MACRO_ARG_REUSE'
	'[a-z0-9_/]+\.[ch] MACRO_ARG_UNUSED'
	# User space includes these headers. It has no BIT_ULL(), no u32, and other macros for attributes.
	'uapi/kutrace_(abi|events)\.h BIT_MACRO'
	'uapi/kutrace_point\.h PREFER_KERNEL_TYPES PREFER_DEFINED_ATTRIBUTE_MACRO'
	# C++ templates and _Generic, which checkpatch reads as comparisons and labels.
	'uapi/kutrace_point\.h SPACING INDENTED_LABEL TRAILING_STATEMENTS FUNCTION_WITHOUT_ARGS CAMELCASE'
	# Macros that generate lists, declarations and functions. Their arguments are names.
	'uapi/kutrace_point\.h COMPLEX_MACRO MULTISTATEMENT_MACRO_USE_DO_WHILE TRAILING_SEMICOLON MACRO_ARG_REUSE'
	'core/env\.h MULTISTATEMENT_MACRO_USE_DO_WHILE'
	'probes/x86/syscall_direct\.c MACRO_ARG_REUSE'
	'probes/tp\.h MACRO_ARG_REUSE'
	# C allows no parentheses around a member's name. Macros that change a variable need it
	# twice.
	'arch/[a-z0-9]+/local\.h MACRO_ARG_PRECEDENCE'
	'arch/(arm64|riscv)/local\.h MACRO_ARG_REUSE'
	'session/state\.h MACRO_ARG_REUSE'
	# These names stand for kernel types in the kernel, and for other types in unit tests.
	'core/env\.h NEW_TYPEDEFS'
	# The user-space half of env.h defines macros and types of the kernel.
	'core/env_user\.h MACRO_ARG_PRECEDENCE MACRO_ARG_REUSE COMPLEX_MACRO SPACING PREFER_KERNEL_TYPES'
	'core/env_user\.h PREFER_DEFINED_ATTRIBUTE_MACRO VOLATILE DATA_RACE MEMORY_BARRIER'
	# The module supports kernels from 6.1 on. checkpatch treats LINUX_VERSION_CODE as a
	# constant.
	'compat/version\.h LINUX_VERSION_CODE CONSTANT_COMPARISON'
	# checkpatch reads macros of the assembler as C.
	'probes/x86/direct_(call|return)\.h SPACING'
	'probes/x86/direct_return\.h LINE_CONTINUATIONS CAMELCASE'
	# A refused system call returns this value.
	'probes/x86/syscall_direct\.c ENOSYS'
)

# Ignores INCLUDE_LINUX, which requires <linux/nmi.h>; but <asm/nmi.h> declares
# register_nmi_handler().
has_style()
{
	local patch entry type

	for entry in "${accepted[@]}"; do
		for type in ${entry#* }; do
			! grep -q "\"$type\"" "$tree/scripts/checkpatch.pl" ||
				echo "^kernel/kutrace/module/${entry%% *}:[0-9]+: [A-Z]+:$type: "
		done
	done >"$work/accepted"
	for patch in "$work"/mails/0*.patch; do
		checkpatch --showfile --show-types --ignore FILE_PATH_CHANGES,INCLUDE_LINUX "$patch" >"$work/complaints" 2>&1
		cat "$work/complaints" >>"$work/complaints.all"
		is "checkpatch --strict: ${patch##*/}" "$(grep -vEf "$work/accepted" "$work/complaints")" ""
	done
	is "accepted complaints that checkpatch does not print" "$(while read -r entry; do
		grep -qE "$entry" "$work/complaints.all" || echo "$entry"
	done <"$work/accepted")" ""
}

# --- everything on ---
builds_full()
{
	mapfile -t all < <(kutrace_options m)
	configure full "${all[@]}"
	what_is_built "${objects[@]}" kernel/kutrace/
	objects+=(kernel/kutrace/)
	compile full || die "the kernel with every category is built"
	unset 'objects[-1]'
	for state in absent full; do
		complaints "$OUT/unpatched.W1.log" "$OUT/unpatched.log" >"$work/before"
		complaints "$OUT/$state.W1.log" "$OUT/$state.log" >"$work/after"
		is "W=1, sparse, objtool print nothing new, KUTRACE $state" "$(comm -13 "$work/before" "$work/after")" ""
	done
	# Linux 7.2 requires a sparse that supports __typeof_unqual__; 0.6.4 does not.
	if grep -q 'sparse is not available or not up to date' "$OUT/unpatched.W1.log"; then
		skip "sparse checks each source" "Linux $kver does not take sparse $(sparse --version)"
		return
	fi
	is "sources that sparse has not checked" "$(for object in "${objects[@]}"; do
		grep -q "^  CHECK .*${object%.o}\.c$" "$OUT/unpatched.W1.log" || echo "$object"
	done)" ""
}

# --- exceptions ---
# exception_calls OBJECT...: prints "HANDLER enter|exit" for each call of an exception's hook. If
# user mode and kernel mode have separate handlers, both get the exception's name.
exception_calls()
{
	objdump -dr --no-show-raw-insn "$@" | awk '
	/^[0-9a-f]+ <.*>:$/ { split($2, name, /[<.>]/); handler = name[2] }
	match($0, /__SCT__kutrace_call_trap_(enter|exit)/) {
		sub(/^(user|kernel|noist)_/, "", handler)
		sub(/_(user|kernel)$/, "", handler)
		print handler, substr($0, RSTART + 25, RLENGTH - 25)
	}' | sort
}

# Checks that each exception calls its hooks, except the NMI, which has the hooks of an interrupt. A
# handler that a plain macro defines has the macro's hooks, so this configuration need not compile
# it.
hooks_exceptions()
{
	local declared handler enters exits both

	mapfile -t declared < <(sed -nE 's/^DECLARE_IDTENTRY[A-Z_]*\(X86_TRAP_([A-Z_]+),[[:space:]]*(exc_[a-z0-9_]+)\);/\1 \2/p' \
		"$tree/arch/x86/include/asm/idtentry.h" | grep -vE '^(NMI|OTHER) ' | sed 's/.* //' | sort -u)
	between "exceptions that the kernel declares" ${#declared[@]} 15 40
	exception_calls "${objects[@]/#/$tree/build/}" >"$work/exceptions"
	for handler in "${declared[@]}"; do
		enters=$(grep -c "^$handler enter" "$work/exceptions")
		exits=$(grep -c "^$handler exit" "$work/exceptions")
		both=1
		case $handler in
		# User mode and kernel mode have separate handlers.
		exc_debug | exc_int3 | exc_machine_check | exc_vmm_communication) both=2 ;;
		esac
		# A double fault does not return.
		[ $handler != exc_double_fault ] || exits=$enters
		if [ $((enters + exits)) = 0 ] && grep -rqE "DEFINE_IDTENTRY(_ERRORCODE)?\($handler\)" "$tree/arch/x86/kernel"; then
			continue
		fi
		ok "exceptions: $handler calls its hooks ($enters at the beginning, $exits at the end)" \
			[ "$enters" -ge "$both" -a "$exits" -ge "$both" ]
	done
}

# --- a module for other hooks ---
# other_module NAME SED...: builds $OUT/NAME.ko with a header that sed has changed. Compiles only
# the one source again that depends on the version and struct of the hooks.
other_module()
{
	local name=$1
	shift
	sed "$@" "$tree/include/linux/kutrace.h" >"$work/$name.h"
	cmp -s "$tree/include/linux/kutrace.h" "$work/$name.h" && return 1
	build "module.$name" M="$work/other" KBUILD_MODPOST_WARN=1 \
		CFLAGS_backends/patched.o="-include $work/$name.h" modules &&
		cp "$work/other/kutrace.ko" "$OUT/$name.ko"
}

builds_other_modules()
{
	what_is_built modules_prepare
	build full.again "${targets[@]}" || die "the kernel with every category is built again"
	is "one source of the module uses the hooks' version" \
		"$(cd "$tree/kernel/kutrace/module" && grep -rl --include='*.[ch]' \
			'KUTRACE_OPS_VERSION\|struct kutrace_ops')" backends/patched.c
	cp -R "$tree/kernel/kutrace/module" "$work/other"
	ok "a module for newer hooks is built" other_module newer \
		's/\(define KUTRACE_OPS_VERSION[[:space:]]*\)\([0-9]*\)/\1(\2 + 1)/'
	ok "a module for older hooks is built" other_module older \
		's/\(define KUTRACE_OPS_VERSION[[:space:]]*\)\([0-9]*\)/\1(\2 - 1)/'
	ok "a module with other members is built" other_module longer \
		's/^\tvoid (\*on_lock)(.*);/&\n\tvoid (*other)(void);/'
}

# --- each category left out ---
# Prints the hooks of a category, as <linux/kutrace.h> defines them.
hooks_of()
{
	awk -v category="$1" '
	$2 == "CONFIG_KUTRACE_" category { inside = 1; at = depth + 1 }
	/^#if/ { depth++ }
	/^#else|^#endif/ && depth == at { inside = 0 }
	/^#endif/ { depth-- }
	inside' "$tree/include/linux/kutrace.h" |
		grep -oE "KUTRACE_DEFINE[A-Z_]*\($1, *[a-z0-9_]+|kutrace_call\([a-z0-9_]+" |
		sed 's/.*[,(] *//' | sort -u
}

calls()
{
	(cd "$tree/build" && nm -u "${objects[@]}") | awk '{ print $NF }' |
		sed -n 's/^__SC[TK]__kutrace_call_//p' | sort -u
}

leaves_out_categories()
{
	calls >"$work/calls.full"
	mapfile -t categories < <(sed -n 's/^config KUTRACE_//p' Kconfig | grep -vE '^(MODULE|CONTROL|KUNIT_TEST)$')
	between "categories" ${#categories[@]} 10 31
	[ -n "${KUTRACE_FULL-}" ] || categories=("${categories[0]}")
	for category in "${categories[@]}"; do
		mapfile -t rest < <(printf '%s\n' "${all[@]}" | grep -v "_$category=")
		configure "without.$category" "${rest[@]}" "# CONFIG_KUTRACE_$category is not set"
		if ! build "without.$category" ${warnings[@]+"${warnings[@]}"} "${objects[@]}" kernel/kutrace/ ||
		   [ -n "$(complaints "$OUT/without.$category.log" | comm -13 "$work/before" -)" ]; then
			fail "without $category: the kernel builds" "$(grep -E 'warning|error' "$OUT/without.$category.log" | head)"
			continue
		fi
		hooks_of "$category" >"$work/hooks"
		[ -s "$work/hooks" ] || fail "$category has hooks" "none in <linux/kutrace.h>"
		is "without $category: no object calls its hooks, and all other hooks are called" \
			"$(calls | tr '\n' ' ')" "$(comm -23 "$work/calls.full" "$work/hooks" | tr '\n' ' ')"
	done
}

# --- patch by patch, reverted from the last to the first ---
takes_back()
{
	configure full "${all[@]}"
	what_is_built "${objects[@]}" kernel/kutrace/
	first=1
	[ -n "${KUTRACE_FULL-}" ] || first=$((${#series[@]} - 1))
	for ((i = ${#series[@]} - 1; i >= first; i--)); do
		patch -d "$tree" -p1 -F0 -R -s --no-backup-if-mismatch <"$patches/${series[i]}" ||
			die "${series[i]} can be taken back"
		if build "series.$i" ${warnings[@]+"${warnings[@]}"} "${targets[@]}" && [ -z "$(complaints "$OUT/series.$i.log" |
			comm -13 "$work/before" -)" ]; then
			pass "the kernel builds up to ${series[i - 1]}"
		else
			fail "the kernel builds up to ${series[i - 1]}" \
				"$(grep -E 'warning|error' "$OUT/series.$i.log" | head)"
		fi
	done
}

# --- all checks that depend on sources and compilers alone ---
compiles()
{
	cp -a "$source" "$tree" || die "the source is copied"
	find "$tree" -type f -print0 | sort -z | xargs -0 ls -ln --time-style=+ >"$work/tree.before"
	refuses
	builds_unpatched
	builds_absent
	applies_as_mails
	has_style
	builds_full
	hooks_exceptions
	builds_other_modules
	leaves_out_categories
	takes_back
	cp "$OUT/newer.ko" "$OUT/older.ko" "$OUT/longer.ko" "$REUSED/"
}

# --- a sample: checks that compile nothing ---
looks()
{
	cp -a "$source" "$tree" || die "the source is copied"
	find "$tree" -type f -print0 | sort -z | xargs -0 ls -ln --time-style=+ >"$work/tree.before"
	refuses
	ok "apply: the series applies" "$here/apply.sh" "$tree" "$kver"
	applies_as_mails
	has_style
}

inputs()
{
	echo "$kver" "$version" "${CC-}"
	# shellcheck disable=SC2086
	tools_key ${CC:-gcc} "$(${CC:-gcc} -print-prog-name=cc1)" as ld ar nm objcopy make bison \
		flex patch perl sparse bash awk git
	files_key kernel-patches module Kconfig tests/guest/test_series.sh tests/reuse.inc
}
if [ -n "${KUTRACE_FAST-}" ]; then
	reuse "series-looks-$kver" looks < <(inputs)
	tap_end
fi
reuse "series-$kver" compiles < <(inputs)

# --- refusal ---
cat >"$TAP_TMP/script" <<'SCRIPT'
#!/bin/sh
for module in newer older longer; do
	must_fail insmod /lib/$module.ko 2>/out/$module
	dmesg | grep 'kutrace:' | tail -n 1 >>/out/$module
done
# The module for these hooks still works.
insmod /lib/kutrace.ko && kutrace_control go >/dev/null && kutrace_control stop /out/r.trace
SCRIPT
if found=$("$here/build.sh" --kver "$kver"); then
	eval "$found"
	if guest_run "$TAP_TMP/script" --file "$REUSED/newer.ko:/lib/newer.ko" \
		--file "$REUSED/older.ko:/lib/older.ko" --file "$REUSED/longer.ko:/lib/longer.ko"; then
		for module in newer older longer; do
			like "a module for $module hooks is refused, and the log has the reason" \
				"$(cat "$OUT/$module")" "the module is for hooks of version"
		done
		trace_ok "the right module" "$OUT/r.trace"
	fi
else
	fail "the patched kernel is built" "see above"
fi
tap_end
