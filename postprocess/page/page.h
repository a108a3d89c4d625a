/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a self-contained HTML page of a trace: a sink of spans, which writes the spans into a
 * template. Holds the names and about 24 MB of columns in memory, but not all spans. Must not write
 * the end marker if the input was incomplete.
 *
 * There are two kinds of template, with different marker comments:
 *
 * - Ours has one `<!-- kutrace-data -->`. The data elements below replace the marker.
 * - The original's has `<!-- selfcontained0 -->`, `1` and `2`. The line
 *   `var myString = '<the JSON>';` is inserted after the line of marker 1. The line after marker 0
 *   includes d3; the option d3_path replaces this line by a file.
 *
 * Our page has these data elements, in this order. Elements "names" may be between the columns.
 *
 *   <script type="application/json" id="kutrace-header">{...}</script>
 *	the keys of the span JSON's header with their values, in their order
 *   <script type="application/json" id="kutrace-overview">{"spans":N,
 *	"first":T,"last":T,"width":UNITS,"bins":N,"cpus":[...],"programs":[[PID,"NAME"]...],
 *	"mostBytes":BYTES,"most":"BASE64","bytes":BYTES,"shares":"BASE64"}</script>
 *	a coarse picture, which is drawn until the spans are decoded; see below
 *   <script type="application/octet-stream" data-kutrace="COLUMN"
 *	data-chunk="N" data-track="CPU|other" data-count="SPANS"
 *	data-bytes="BYTES" [data-wide]>BASE64</script>
 *   <script type="application/json" id="kutrace-behind">{...}</script>
 *	the keys after the events in the JSON, for unmakeself; only if there are any
 *   <script type="application/json" id="kutrace-findings">{...}</script>
 *	the output of `spantowhy --findings --json`; or {"version":1,"missing":"REASON","most":N}, if
 *	the findings of these spans are unknown (report/findings/paged.c). unmakeself omits it, so no
 *	finding outlives its spans
 *   <script type="application/json" id="kutrace-end">
 *	{"chunks":N,"spans":N,"names":N,"elements":N}</script>
 *	elements counts the octet-streams; "width":N follows if the start field of the JSON
 *	had more than 12 characters
 *
 * BASE64 is a zlib stream (whose checksum the page's decoder verifies) of BYTES bytes.
 *
 * A page has an overview if it has 200,000 spans or more, and none begins before the first one. The
 * time from first to last is divided into N bins of width UNITS, in units of 10 ns. cpus lists all
 * CPUs with execution. shares and most describe the bins of the lowest 64 of these CPUs:
 *
 * - shares has ten bytes for a bin, one for each kind of execution in the order of the page's
 *   kinds.ts: its share of the bin, where 255 is the whole bin.
 * - most has a varint for a bin: 1 + kind + 10 * pid of its longest part that is not idle, or 0 if
 *   the bin is idle.
 *
 * In a seekable file, room for the overview is reserved before the columns, and filled up with
 * spaces before </script>. The overview follows the columns if the output is not seekable, or if
 * there were fewer than 200,000 spans when the first column was written.
 *
 * A track is the execution on one CPU, or "other": all rows that are not execution, in the order of
 * the input. A chunk has up to about a million spans of one track, and can be decoded without other
 * chunks. A column has one LEB128 varint for each span of its chunk. A column whose values are all
 * 0 is omitted. z() is zigzag coding: z(0) = 0, z(-1) = 1, z(1) = 2, z(-2) = 3.
 *
 *   gap	z(start - end of the previous span in the chunk), units of 10 ns;
 *	"other": z(start - start of the previous span). First span: z(start)
 *   dur	duration, units of 10 ns
 *   name	number of the dictionary entry: event number and name
 *   pid rpc	z(difference to the previous span in the chunk); first span: z(value)
 *   arg ret	z(value)
 *   ipc	z(value)
 *   cpu	z(CPU), only in "other"
 *
 * data-wide means that a value in the column (in gap: the start of a span), or its coded form,
 * needs more than 32 bits.
 *
 * An element "names" has only the attributes data-count and data-bytes. It has z(event), the length
 * in bytes and the UTF-8 bytes of each dictionary entry. The entries of all such elements are
 * numbered from 0. KP_DICTIONARY_IN_KERNEL is added to the event of a kernel thread's own code.
 */
#ifndef KP_PAGE_H
#define KP_PAGE_H

#include "model/span.h"
#include "page/foreign.h"

/*
 * Memory that the browser needs for each span: 52.6 bytes, measured with 39 million spans.
 * templates/js/shell/main.ts has the same number. KP_PAGE_LARGE spans need about a gigabyte. Tests
 * use a smaller KP_PAGE_LARGE (KP_SMALL_LOADS, transform/sort.h).
 */
#define KP_PAGE_BROWSER_BYTES	52
#ifdef KP_SMALL_LOADS
#define KP_PAGE_LARGE		2000u
#else
#define KP_PAGE_LARGE		19000000u
#endif

struct kp_page;

struct kp_page_options {
	FILE *out;			/* output for the page */
	/* path of the template; NULL: the installed template */
	const char *template_path;
	/* path of a d3 file, only for the original's templates; NULL: none */
	const char *d3_path;
	/* width of the start field in the JSON, set by its reader; NULL: unknown */
	const int *start_width;
};

/*
 * Makes malloc() map large buffers, so that freed columns, which have megabytes, go back to the
 * system immediately. Must be called before other functions.
 */
void kp_page_begin(void);

/*
 * Reads the template; does not write yet. Returns NULL on failure, and sets @error to one line with
 * the action, the file and the cause.
 */
struct kp_page *kp_page_open(const struct kp_page_options *options, char *error,
			     size_t error_size);

/*
 * Returns the sink. Its functions return 0 or a negative errno: -ENOMEM, -ERANGE for a value that
 * no trace can have, or the error of a failed write such as -EIO. kp_page_error() then has the
 * details. The page is complete after end() returned 0.
 */
struct kp_span_sink kp_page_sink(struct kp_page *page);

/*
 * Sets the text of the element kutrace-findings, which must stay valid until end(). Without a call,
 * the page has no such element.
 */
void kp_page_set_findings(struct kp_page *page, const char *json);

/* Returns the number of spans in the page so far. */
uint64_t kp_page_spans(const struct kp_page *page);

/* Prints the memory that @spans spans need in a browser, if it is more than about a gigabyte. */
void kp_page_print_large(uint64_t spans, FILE *out);

/*
 * Returns whether the template is the original's, which can also show rows that are not spans. Our
 * template cannot, so the caller converts such rows to spans (page/foreign.h).
 */
bool kp_page_is_original(const struct kp_page *page);

/*
 * Writes a whole page from the original's template and rows that are not spans (page/foreign.h).
 * Must not be used together with the sink. Returns an exit status; kp_page_error() has the details.
 */
int kp_page_foreign(struct kp_page *page, struct kp_foreign *foreign, FILE *in,
		    const char *shown);

/* Returns the error in one line without the tool's name, or "". */
const char *kp_page_error(const struct kp_page *page);

void kp_page_close(struct kp_page *page);

#endif
