# SPDX-License-Identifier: BSD-3-Clause
#
# Reads FLOORS files and sources, and prints each fault as a line "COMPONENT<tab>KIND<tab>TEXT". A line whose TEXT begins with two spaces continues the fault before. An include that
# the script cannot resolve is a fault. floors_circles.awk finds the circles.
#
#	awk -v objects=build/obj/ -f floors.awk -f floors_circles.awk LIST SYMBOLS FLOORS... SOURCES...
#
# LIST has a line "file PATH" for each file of the components, "include FOLDER" for each -I of user
# space, "kinclude FOLDER" for each -I of the module (arch/* is one of these folders), "made NAME"
# for each header that the build makes, and "fresh PATH" for each source whose object is in SYMBOLS.
# SYMBOLS is the output of nm -A -P. Kinds of faults:
#
#	floors	the file FLOORS is wrong
#	folder	a folder is not in FLOORS, or does not exist
#	include	an included file does not exist, or two files have its name
#	components	a file uses another component
#	up	a file uses a higher folder
#	circle	files use each other in a circle
#
# A "unit" is a group of files that counts as one file: a .c file, the header of the same name, and
# headers of its folder whose functions are all defined in the .c file.

BEGIN {
	split("module control postprocess templates/js", all_components, " ")
	for (i in all_components)
		components[all_components[i]] = 1
	SOURCE = "[.](c|h|S|def|ts)$"
	NO_SOURCE = "^(FLOORS|rules[.]mk|Kbuild|Kconfig|Makefile|README[.]md)$"
}

function fault(component, kind, text)
{
	print component "\t" kind "\t" text
}

function folder_of(path)
{
	return match(path, /.*\//) ? substr(path, 1, RLENGTH - 1) : "."
}

function name_of(path)
{
	sub(/.*\//, "", path)
	return path
}

function component_of(path,    component)
{
	for (component in components)
		if (index(path, component "/") == 1)
			return component
	return ""
}

# Shortens a path: a/b/../c becomes a/c. Returns "" if the path leaves the tree.
function plain(path)
{
	gsub(/\/\.\//, "/", path)
	sub(/^\.\//, "", path)
	while (match(path, /[^\/]+\/\.\.\//) && substr(path, RSTART, 3) != "../")
		path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
	return path ~ /^\.\./ ? "" : path
}

# --- reading ---

FILENAME == ARGV[1] {
	if ($1 == "file") {
		files[$2] = 1
		component = component_of($2)
		folder = folder_of($2)
		if (component != "" && !(name_of($2) ~ NO_SOURCE && folder == component))
			folders[component, folder == component ? "." : substr(folder, length(component) + 2)] = $2
	} else if ($1 == "include")
		user_path[++user_paths] = $2
	else if ($1 == "kinclude")
		module_path[++module_paths] = $2
	else if ($1 == "made")
		made[$2] = 1
	else if ($1 == "fresh")
		fresh[$2] = 1
	next
}

FILENAME == ARGV[2] {
	file = substr($1, 1, length($1) - 1)
	if (index(file, objects) == 1)
		file = substr(file, length(objects) + 1)
	sub(/[.]o$/, ".c", file)
	if (!(file in fresh))
		next
	if ($3 == "U") {
		wanted[file, $2] = 1
		wants[file] = wants[file] " " $2
	}
	else if ($3 ~ /^[TDBRVWCGS]$/ && $2 != "main")
		define("user", $2, file)
	next
}

FILENAME ~ /\/FLOORS$/ {
	component = folder_of(FILENAME)
	has_floors[component] = 1
	if ($0 ~ /^#/ || $0 ~ /^[ \t]*$/)
		next
	sub(/\/$/, "", $1)
	if ((component, $1) in rank)
		fault(component, "floors", FILENAME ":" FNR ": " $1 " is listed twice")
	if (NF < 2)
		fault(component, "floors", FILENAME ":" FNR ": " $1 ": what is it for?")
	rank[component, $1] = FNR
	next
}

FNR == 1 {
	sources[++count] = FILENAME
	in_comment = depth = macro = plus = only_types = 0
	statement = ""
}

FILENAME ~ /\.ts$/ {
	line = $0
	gsub(/\/\*([^*]|\*[^\/])*\*\//, " ", line)
	if (in_comment) {
		if (!sub(/^.*\*\//, "", line))
			next
		in_comment = 0
	}
	if (match(line, /(^|[ \t({])\/\*/)) {
		in_comment = 1
		line = substr(line, 1, RSTART)
	}
	sub(/^[ \t]*\/\/.*/, "", line)
	# types may come from a higher folder, and in a circle: the built page has no imports of types
	if (line ~ /^import type[ \t]/)
		only_types = 1
	if (only_types) {
		only_types = line !~ /['"]/
		next
	}
	while (match(line, /(from|import|import[ ]*\(|URL\()[ \t]*['"]\.[^'"]*['"]/)) {
		what = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		gsub(/^[^'"]*['"]|['"]$/, "", what)
		include(FILENAME, FNR, what)
	}
	next
}

{
	line = code($0)
	flag = " "
	if (line ~ /^[ \t]*#/ || macro) {
		if (line ~ /^[ \t]*#[ \t]*include[ \t]*""/) {
			match($0, /"[^"]*"/)
			include(FILENAME, FNR, substr($0, RSTART + 1, RLENGTH - 2))
			line = ""
		} else if (line ~ /^[ \t]*#[ \t]*include/)
			line = ""
		if (line ~ /^[ \t]*#[ \t]*if.*__cplusplus/)
			plus = 1
		else if (line ~ /^[ \t]*#[ \t]*endif/)
			plus = 0
		if (line ~ /^[ \t]*#[ \t]*define/) {
			defining = 1
			if (FILENAME ~ /\.h$/ && match(line, /define[ \t]+[A-Za-z0-9_]+/))
				promised[FILENAME] = promised[FILENAME] " " \
					substr(line, RSTART + 7, RLENGTH - 7)
		}
		else if (!macro)
			defining = 0
		macro = line ~ /\\$/
		text[FILENAME] = text[FILENAME] (defining ? "#" : " ") line "\n"
		next
	}
	if (plus)
		line = ""
	if (depth > 0 || line ~ /{/)
		flag = "+"
	text[FILENAME] = text[FILENAME] flag line "\n"
	outline(line)
}

# Returns the line without comments, and with an empty string in place of each string.
function code(line,    out, what)
{
	out = ""
	if (in_comment) {
		if (!match(line, /\*\//))
			return ""
		line = substr(line, RSTART + 2)
		in_comment = 0
	}
	while (match(line, /\/\*|\/\/|"|'/)) {
		what = substr(line, RSTART, 2)
		out = out substr(line, 1, RSTART - 1)
		line = substr(line, RSTART)
		if (what == "//")
			return out
		if (what == "/*") {
			out = out " "
			line = substr(line, 3)
			if (!match(line, /\*\//)) {
				in_comment = 1
				return out
			}
			line = substr(line, RSTART + 2)
		} else {
			what = substr(what, 1, 1)
			out = out what what
			if (what == "\"" ? match(line, /^"([^"\\]|\\.)*"/) : match(line, /^'([^'\\]|\\.)*'/))
				line = substr(line, RLENGTH + 1)
			else
				return out
		}
	}
	return out line
}

# Counts the braces of a line, and passes each statement outside of braces to declared().
function outline(line,    what, at)
{
	if (line ~ /^}/)
		depth = 1
	while (match(line, /[{};]/)) {
		at = RSTART
		what = substr(line, at, 1)
		if (depth == 0) {
			statement = statement " " substr(line, 1, at - 1)
			if (what != "}")
				declared(FILENAME, statement, what)
			statement = ""
		}
		line = substr(line, at + 1)
		if (what == "{")
			depth++
		else if (what == "}" && depth > 0)
			depth--
	}
	if (depth == 0)
		statement = statement " " line
}

# Records the name that a statement outside of braces declares or defines. @ended is the character
# that ended the statement: { or ;
function declared(file, statement, ended,    name, space)
{
	space = component_of(file) == "module" ? "module" : "user"
	gsub(/[ \t]+/, " ", statement)
	gsub(/__attribute__ ?\(\(([^()]|\([^()]*\))*\)\)/, "", statement)
	gsub(/__[a-z_]+ ?\([^()]*\)/, "", statement)
	sub(/^ /, "", statement)
	if (statement ~ /^typedef /)
		return
	if (file ~ /\.h$/ && match(statement, /^DECLARE_[A-Z_]+ ?\(/)) {
		name = statement
		sub(/\).*/, "", name)
		sub(/.*[^A-Za-z0-9_]/, "", name)
		promised[file] = promised[file] " " name
		return
	}
	if (match(statement, /^DEFINE_[A-Z_]+ ?\(/)) {
		name = statement
		sub(/\).*/, "", name)
		sub(/.*[^A-Za-z0-9_]/, "", name)
		if (file ~ /\.c$/)
			define(space, name, file)
		return
	}
	name = statement
	if (name ~ /\(/ && name !~ /=.*\(/) {
		sub(/ ?\(.*/, "", name)
		if (name !~ /[ *]/)
			return
	} else {
		sub(/ ?=.*/, "", name)
		sub(/ ?\[.*/, "", name)
		if (name !~ /[ *]/ || (ended == "{" && statement !~ /=/) ||
		    name ~ /^(struct|union|enum) [A-Za-z0-9_]*$/)
			return
	}
	sub(/.*[^A-Za-z0-9_]/, "", name)
	if (name == "")
		return
	if (statement ~ /(^| )static /) {
		own[file, name] = 1
		return
	}
	if (file ~ /\.h$/ && ended == ";")
		promised[file] = promised[file] " " name
	else if (file ~ /\.c$/ && statement !~ /^extern / && name != "main" &&
		 !(ended == ";" && statement ~ /\(/ && statement !~ /=/))
		if (!(file in fresh))
			define(space, name, file)
}

function define(space, name, file)
{
	if (index(" " where[space, name] " ", " " file " ") == 0)
		where[space, name] = where[space, name] " " file
}

function include(file, line, what)
{
	includes++
	include_file[includes] = file
	include_line[includes] = line
	include_what[includes] = what
}

# --- joining ---

function unit(file,    stem, parts, names, n, m, i, j, one)
{
	if (file in unit_of)
		return unit_of[file]
	unit_of[file] = file
	if (file ~ /\.h$/) {
		stem = substr(file, 1, length(file) - 2)
		if ((stem ".c") in files)
			return unit_of[file] = stem ".c"
		n = split(promised[file], names, " ")
		for (i = 1; i <= n; i++) {
			m = split(where[component_of(file) == "module" ? "module" : "user", names[i]], parts, " ")
			for (j = 1; j <= m; j++)
				if (one == "")
					one = parts[j]
				else if (one != parts[j])
					return file
		}
		if (one != "" && folder_of(one) == folder_of(file))
			unit_of[file] = one
	}
	return unit_of[file]
}

# Returns the line number in FLOORS of the file's folder, or 0 if FLOORS does not list the folder. In
# FLOORS, the name of a folder may end in /*.
function floor_of(component, file,    folder)
{
	folder = folder_of(file)
	folder = folder == component ? "." : substr(folder, length(component) + 2)
	if ((component, folder) in rank)
		return rank[component, folder]
	if (sub(/[^\/]+$/, "*", folder) && (component, folder) in rank)
		return rank[component, folder]
	return 0
}

# Returns 1 if the component @from may use @file of another component.
function allowed(from, to, file)
{
	if (from == "control" || from == "postprocess")
		if (index(file, "module/uapi/") == 1)
			return 1
	return from == "postprocess" && index(file, "control/common/") == 1
}

function edge(from, to, text,    a, b, component, other)
{
	component = component_of(from)
	other = component_of(to)
	if (component != other) {
		if (component in has_floors && !allowed(component, other, to))
			fault(component, "components", text)
		return
	}
	if (!(component in has_floors))
		return
	if (folder_of(from) != folder_of(to) && from ~ /^(control\/common|module\/uapi)\//)
		fault(component, "components", text ": that folder serves other components, too")
	a = unit(from)
	b = unit(to)
	if (a == b || (a, b) in edges)
		return
	edges[a, b] = text
	next_of[a] = next_of[a] " " b
	if (!(a in is_node)) {
		is_node[a] = 1
		nodes[++node_count] = a
	}
	if (floor_of(component, a) && floor_of(component, b) && floor_of(component, a) < floor_of(component, b))
		fault(component, "up", text)
}

# Finds the files that the compiler could use for the include number @i.
function resolve(i,    file, what, component, found, path, dir, k, n, hits, parts)
{
	file = include_file[i]
	what = include_what[i]
	component = component_of(file)
	path = plain(folder_of(file) "/" what)
	if (path in files)
		found = path
	if (file ~ /\.ts$/) {
		if (!(component in has_floors))
			return
		if (found == "") {
			found = path == "" ? what : path
			fault(component, component_of(found) == component ? "include" : "components",
			      file ":" include_line[i] " imports " found)
			return
		}
		edge(file, found, file ":" include_line[i] " imports " found)
		return
	}
	n = component == "module" ? module_paths : user_paths
	for (k = 1; k <= n; k++) {
		dir = component == "module" ? module_path[k] : user_path[k]
		if (dir ~ /\/\*$/) {
			# the build uses one of these folders, depending on the architecture
			sub(/\*$/, "", dir)
			hits = found
			for (path in files)
				if (index(path, dir) == 1 && substr(path, length(dir) + 1) ~ /^[^\/]+\// &&
				    substr(path, length(dir) + 1 + index(substr(path, length(dir) + 1), "/")) == what) {
					if (hits == "")
						found = found " " path
					else if (hits != path)
						twice(i, hits, path)
				}
			continue
		}
		path = plain(dir "/" what)
		if (!(path in files) || path == found)
			continue
		if (found != "")
			twice(i, found, path)
		else
			found = path
	}
	if (found == "") {
		if (!(what in made) && component in has_floors)
			fault(component, "include", file ":" include_line[i] ": no \"" what "\" anywhere")
		return
	}
	n = split(found, parts, " ")
	for (k = 1; k <= n; k++)
		edge(file, parts[k], file ":" include_line[i] " includes " parts[k])
}

function twice(i, one, other,    component)
{
	component = component_of(include_file[i])
	if (component in has_floors && !((one, other) in told)) {
		told[one, other] = 1
		fault(component, "include", include_file[i] ":" include_line[i] ": \"" include_what[i] \
		      "\" is " one " and " other)
	}
}

# Records that the line of @file uses the global @name.
function use(file, line, name, space,    parts, n, i, near)
{
	n = split(where[space, name], parts, " ")
	for (i = 1; i <= n; i++)
		if (unit(parts[i]) == unit(file))
			return
	for (i = 1; i <= n; i++)
		if (component_of(parts[i]) == component_of(file))
			near = 1
	for (i = 1; i <= n; i++)
		if (!near || component_of(parts[i]) == component_of(file))
			edge(file, parts[i], file (line ? ":" line : "") " uses " name " of " parts[i])
}

# Returns the line without the names of members, structs, unions and enums.
function bare(line)
{
	gsub(/(->|\.)[ \t]*[A-Za-z_][A-Za-z0-9_]*/, " ", line)
	gsub(/(struct|union|enum)[ \t]+[A-Za-z_][A-Za-z0-9_]*/, " ", line)
	return line
}

# Records the bodies of the macros in a header of the module. A file that expands a macro uses the
# names in its body.
function macros(file,    rows, n, i, line, name)
{
	n = split(text[file], rows, "\n")
	for (i = 1; i <= n; i++) {
		if (rows[i] !~ /^#/)
			continue
		line = substr(rows[i], 2)
		if (match(line, /^[ \t]*#[ \t]*define[ \t]+[A-Za-z0-9_]+/)) {
			name = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			sub(/.*[ \t]/, "", name)
		}
		body[name] = body[name] " " bare(line)
	}
}

# Returns the line followed by the bodies of the macros in it.
function expanded(line,    out, words, n, i, done, round)
{
	out = line
	for (round = 0; round < 5 && line != ""; round++) {
		n = split(line, words, /[^A-Za-z0-9_]+/)
		line = ""
		for (i = 1; i <= n; i++)
			if ((words[i] in body) && !(words[i] in done)) {
				done[words[i]] = 1
				line = line " " body[words[i]]
			}
		out = out " " line
	}
	return out
}

# Returns the names that a header declares or defines as macros. Includes the names of the headers of
# the same folder that this header includes.
function offered(file,    i, beside, names)
{
	names = promised[file]
	for (i = 1; i <= includes; i++) {
		beside = folder_of(file) "/" include_what[i]
		if (include_file[i] == file && beside in promised)
			names = names " " promised[beside]
	}
	return names
}

# Records the global names that the code of a file uses.
function mentions(file,    rows, n, i, line, words, m, j, space, exact, seen)
{
	space = component_of(file) == "module" ? "module" : "user"
	exact = file in fresh
	n = split(text[file], rows, "\n")
	for (i = 1; i <= n; i++) {
		if (file ~ /\.h$/ && substr(rows[i], 1, 1) != "+")
			continue
		line = bare(substr(rows[i], 2))
		if (space == "module")
			line = expanded(line)
		m = split(line, words, /[^A-Za-z0-9_]+/)
		for (j = 1; j <= m; j++) {
			if (!((space, words[j]) in where) || (words[j] in seen))
				continue
			if (exact ? !((file, words[j]) in wanted) : (file, words[j]) in own)
				continue
			# an inline function of a header calls a function of the same header
			if (file ~ /\.h$/ && index(offered(file) " ", " " words[j] " "))
				continue
			seen[words[j]] = 1
			use(file, i, words[j], space)
		}
	}
	if (!exact)
		return
	# the remaining names come from macros and inline functions of headers
	n = split(wants[file], words, " ")
	for (i = 1; i <= n; i++)
		if (!(words[i] in seen) && ((space, words[i]) in where))
			use(file, 0, words[i], space)
}

# --- folders against FLOORS ---

function check_folders(    key, parts, component, folder)
{
	for (key in folders) {
		split(key, parts, SUBSEP)
		component = parts[1]
		folder = parts[2]
		if (component in has_floors && !floor_of(component, folders[key])) {
			if (folder == ".")
				fault(component, "folder", folders[key] ": outside any folder that FLOORS lists")
			else
				fault(component, "folder", component "/" folder "/ (" name_of(folders[key]) "): not in FLOORS")
		}
		there[component, folder] = 1
		if (sub(/[^\/]+$/, "*", folder))
			there[component, folder] = 1
	}
	for (key in rank) {
		split(key, parts, SUBSEP)
		if (!(key in there))
			fault(parts[1], "folder", parts[1] "/FLOORS:" rank[key] ": " parts[2] \
			      ": no such folder, or nothing in it")
	}
}

END {
	check_folders()
	for (i = 1; i <= includes; i++)
		resolve(i)
	for (i = 1; i <= count; i++)
		if (sources[i] ~ /^module\/.*\.h$/)
			macros(sources[i])
	# Headers of user space are not read for names: the symbols of the objects have their calls.
	for (i = 1; i <= count; i++) {
		component = component_of(sources[i])
		if ((component in has_floors) && (sources[i] ~ /\.c$/ || (component == "module" && sources[i] ~ /\.h$/)))
			mentions(sources[i])
	}
	show_circles()
}
