# SPDX-License-Identifier: BSD-3-Clause
#
# Completion of kutrace_control's commands, options and files for bash. Installed
# as share/bash-completion/completions/kutrace_control.

_kutrace_control()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words='' i

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		words='go gowrap goipc goipcwrap start stop dump off on reset init flush
			stat status test quit exit help run snapshot stream 0 1 --help --version'
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
		return
	fi
	case ${COMP_WORDS[1]} in
	run)
		for ((i = 2; i < COMP_CWORD; i++)); do
			[ "${COMP_WORDS[i]}" = -- ] || continue
			if [ "$i" = $((COMP_CWORD - 1)) ]; then
				mapfile -t COMPREPLY < <(compgen -c -- "$word")
			else
				mapfile -t COMPREPLY < <(compgen -f -- "$word")
			fi
			return
		done
		words='-o --wrap --'
		;;
	start) words=--wrap ;;
	stream) words='-o --rotate --connect --listen --state' ;;
	reset) words=wrap ;;
	status) words=--json ;;
	stop | dump | snapshot)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	esac
	if [ "$before" = -o ] || [ "$before" = --output ] || [ "$before" = --state ]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	fi
}

complete -o filenames -F _kutrace_control kutrace_control
