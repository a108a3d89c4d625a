# SPDX-License-Identifier: BSD-3-Clause
#
# Completion for bash of the filters' options, as --help lists them, and files. Installed as
# share/bash-completion/completions/TOOL for each filter.

_kutrace_filter()
{
	local word=${COMP_WORDS[COMP_CWORD]}

	COMPREPLY=()
	case $word in
	-*)
		mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null |
			sed -n 's/^ *\(-[A-Za-z]\(, \| | \)\)\{0,1\}\(--[a-z][a-z-]*\).*/\3/p')" -- "$word")
		;;
	*) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	esac
}

complete -o filenames -F _kutrace_filter @TOOLS@
