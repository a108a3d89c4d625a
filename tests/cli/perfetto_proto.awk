# SPDX-License-Identifier: BSD-3-Clause
#
# Converts tests/data/perfetto.fields to definitions for protoc: messages with their published names, in
# Perfetto's package, with only the fields of the table.

/^#/ || !NF { next }
{
	if (!($1 in lines)) {
		order[++count] = $1
		up = $1
		lines[$1] = ""
		while (sub(/\.[^.]*$/, "", up))
			if (!(up in lines)) {
				order[++count] = up
				lines[up] = ""
			}
	}
	if ($3 == "-") {
		is_enum[$1]
		lines[$1] = lines[$1] $4 " = " $2 ";\n"
	} else {
		lines[$1] = lines[$1] ($5 ~ /^(repeated|packed)$/ ? "repeated " : "optional ") $3 " " $4 " = " $2 \
			($5 == "packed" ? " [packed = true]" : "") ";\n"
	}
}

# put PATH: prints a message and the messages defined inside it
function put(path,   last, i)
{
	last = path
	sub(/.*\./, "", last)
	print (path in is_enum ? "enum " : "message ") last " {"
	printf "%s", lines[path]
	for (i = 1; i <= count; i++)
		if (substr(order[i], 1, length(path) + 1) == path "." && index(substr(order[i], length(path) + 2), ".") == 0)
			put(order[i])
	print "}"
}

END {
	print "syntax = \"proto2\";\npackage perfetto.protos;"
	for (i = 1; i <= count; i++)
		if (!index(order[i], "."))
			put(order[i])
}
