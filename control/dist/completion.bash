# SPDX-License-Identifier: BSD-3-Clause
#
# Completion for bash of the commands, options, sessions, kinds of events and files of
# kutrace_control and kutrace. Installed as share/bash-completion/completions/kutrace_control, and
# as kutrace.

_kutrace_control_words()	# WORD CANDIDATES
{
	mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1")
}

# Prints the first column of a list of the tool, or nothing after an error.
_kutrace_control_names()	# COMMAND ARGUMENT...
{
	kutrace_control "$@" 2>/dev/null | awk '$1 != "name" { print $1 }' | sort -u
}

_kutrace_control()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} at=1 words='' i
	local record='--wrap --per-cpu --ipc --llc --session --size --mask --pid --group --cgroup --cpus --trigger
		--after --snapshot'

	COMPREPLY=()
	while [ "${COMP_WORDS[at]}" = --session ] && [ $((at + 1)) -lt "$COMP_CWORD" ]; do
		at=$((at + 2))
	done
	case $before in
	--session) _kutrace_control_words "$word" "$(_kutrace_control_names session list)"; return ;;
	--trigger) _kutrace_control_words "$word" 'syscall softirq irq trap runq mark marks signal
		exit'; return ;;
	--mask) _kutrace_control_words "$word" "all none $(_kutrace_control_names tracepoints)"
		return ;;
	--user) mapfile -t COMPREPLY < <(compgen -u -- "$word"); return ;;
	--into) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
	-o | --output | --state | --cgroup | --json)
		[ "$before" != --json ] || [ "${COMP_WORDS[at]}" = selftest ] || return
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	esac
	if [ "$COMP_CWORD" = "$at" ]; then
		_kutrace_control_words "$word" 'go gowrap goipc goipcwrap start stop dump off on reset
			init flush stat status doctor selftest test quit exit help run record snapshot stream receive wait watch show mask
			filter tracepoints tracepoint session 0 1 --session --help --version'
		return
	fi
	case ${COMP_WORDS[at]} in
	run)
		for ((i = at + 1; i < COMP_CWORD; i++)); do
			[ "${COMP_WORDS[i]}" = -- ] || continue
			if [ "$i" = $((COMP_CWORD - 1)) ]; then
				mapfile -t COMPREPLY < <(compgen -c -- "$word")
			else
				mapfile -t COMPREPLY < <(compgen -f -- "$word")
			fi
			return
		done
		words="-o --user --open --no-next --no-findings $record --"
		;;
	record) words="--for -o $record" ;;
	start) words=$record ;;
	watch) words="--into --keep --pause --findings $record" ;;
	stream) words='-o --rotate --connect --listen --through --acknowledged --patience --state' ;;
	receive) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
	wait) words='-o --timeout --next' ;;
	show) words='-f -n' ;;
	reset) words='wrap ipc' ;;
	status | doctor) words=--json ;;
	selftest) words='--quick --json --size counts order costs rate' ;;
	mask) words="--json all none $(_kutrace_control_names tracepoints)" ;;
	filter) words='--pid --group --cgroup --cpus none' ;;
	tracepoints) words="--json $(_kutrace_control_names tracepoints)" ;;
	tracepoint)
		[ "$COMP_CWORD" = $((at + 1)) ] && words=$(_kutrace_control_names tracepoints) ||
			words='on off'
		;;
	session)
		case $((COMP_CWORD - at)):${COMP_WORDS[at + 1]} in
		1:*) words='create list destroy' ;;
		2:destroy) words=$(_kutrace_control_names session list) ;;
		*:list) words=--json ;;
		*:create) words='--size --wrap --per-cpu' ;;
		esac
		;;
	stop | dump | snapshot)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	esac
	_kutrace_control_words "$word" "$words"
}

# The options of a command of kutrace are those in its help.
_kutrace()
{
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} i

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		_kutrace_control_words "$word" 'run record snapshot page why top diff events spans check doctor selftest
			guest help --help --version'
		return
	fi
	case $command in
	help)
		[ "$COMP_CWORD" != 2 ] || _kutrace_control_words "$word" 'run record snapshot page why top diff events
			spans check doctor selftest guest'
		return
		;;
	guest) _kutrace_control_words "$word" 'CMD= CPUS= KERNEL= MEMORY= ROOT= SHARE= ARCH= FRESH=1'; return ;;
	run)
		for ((i = 2; i < COMP_CWORD; i++)); do
			[ "${COMP_WORDS[i]}" != -- ] || break
		done
		if [ "$i" -lt "$COMP_CWORD" ] || [[ $word != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word")
			return
		fi
		;;
	esac
	case $word in
	-*)
		_kutrace_control_words "$word" "$("$1" "$command" --help 2>/dev/null |
			grep -o -e '--[a-z][a-z-]*' | sort -u)"
		;;
	*) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	esac
}

complete -o filenames -F _kutrace_control kutrace_control
complete -o filenames -F _kutrace kutrace
