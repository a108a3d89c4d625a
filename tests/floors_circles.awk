# SPDX-License-Identifier: BSD-3-Clause
#
# Finds the circles in the graph of includes and calls (nodes, node_count, next_of, edges), and reports the shortest
# path around each. Awk reads this file after floors.awk, which builds the graph and calls show_circles().

# Finds the strongly connected components (Tarjan).
function visit(a,    list, n, i, b)
{
	low[a] = seen_at[a] = ++clock
	stack[++top] = a
	on_stack[a] = 1
	n = split(next_of[a], list, " ")
	for (i = 1; i <= n; i++) {
		b = list[i]
		if (!(b in seen_at)) {
			visit(b)
			if (low[b] < low[a])
				low[a] = low[b]
		} else if (on_stack[b] && seen_at[b] < low[a])
			low[a] = seen_at[b]
	}
	if (low[a] != seen_at[a])
		return
	circles++
	size[circles] = 0
	do {
		b = stack[top--]
		on_stack[b] = 0
		circle[b] = circles
		member[circles, ++size[circles]] = b
	} while (b != a)
}

# Returns the shortest path from a file back to itself, such as "a b c a"
function around(a,    queue, head, tail, from, b, list, n, i, way)
{
	queue[tail = 1] = a
	for (head = 1; head <= tail; head++) {
		n = split(next_of[queue[head]], list, " ")
		for (i = 1; i <= n; i++) {
			b = list[i]
			if (b == a) {
				way = a
				for (b = queue[head]; b != a; b = from[b])
					way = b " " way
				return a " " way
			}
			if (circle[b] == circle[a] && !(b in from)) {
				from[b] = queue[head]
				queue[++tail] = b
			}
		}
	}
	return ""
}

function show_circles(    i, k, way, best, length_of, least, list, n, names, component)
{
	for (i = 1; i <= node_count; i++)
		if (!(nodes[i] in seen_at))
			visit(nodes[i])
	for (i = 1; i <= circles; i++) {
		if (size[i] < 2)
			continue
		best = names = ""
		least = 0
		for (k = 1; k <= size[i]; k++) {
			names = names " " name_of(member[i, k])
			way = around(member[i, k])
			length_of = split(way, list, " ")
			if (least == 0 || length_of < least) {
				least = length_of
				best = way
			}
		}
		n = split(best, list, " ")
		component = component_of(list[1])
		fault(component, "circle", "a circle of " size[i] " files:" names)
		for (k = 1; k < n; k++)
			fault(component, "circle", "  " edges[list[k], list[k + 1]])
	}
}
