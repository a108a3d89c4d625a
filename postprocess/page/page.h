/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The self-contained HTML page: a sink of spans that fills a template while
 * they stream by. makeself and rawtohtml hand their spans to it. It must never
 * hold the spans of a trace (only the names and about 24 MB of columns), and
 * never write the closing marker of a page whose input was not whole.
 *
 * Two kinds of template are filled, told apart by their marker comments:
 *
 * - ours, with one `<!-- kutrace-data -->`. The line that holds it is replaced
 *   by the data elements below.
 * - the original's, with `<!-- selfcontained0 -->`, `1` and `2`. Behind the line
 *   of 1 goes `var myString = '<the JSON>';`; the line behind that of 0 is the
 *   include of d3, which a file replaces when one is given.
 *
 * The data elements of our page, in this order but for "names", which stands
 * wherever names have gathered:
 *
 *   <script type="application/json" id="kutrace-header">{...}</script>
 *	the header keys of the span JSON with their values, in their order
 *   <script type="application/json" id="kutrace-overview">{"spans":N,
 *	"first":T,"last":T,"width":UNITS,"bins":N,"cpus":[...],"programs":[[PID,"NAME"]...],
 *	"mostBytes":BYTES,"most":"BASE64","bytes":BYTES,"shares":"BASE64"}</script>
 *	only in pages of 200,000 spans or more that came in order: what is drawn
 *	until the rest is decoded. For each of the 64 lowest CPUs that anything ran on
 *	(cpus has all), for each of N stretches of that width from first on, in shares
 *	nine bytes: the share of each kind of execution, 255 = all, in the order of the
 *	page's kinds.js; in most a varint: 1 + kind + 9 * pid of the longest part that
 *	is not idle, 0 if all is. Times in units of 10 ns. In a page that is not written into
 *	a file, and has more data than are held, it stands behind the data; in a file there
 *	may be spaces in front of its </script>
 *   <script type="application/octet-stream" data-kutrace="COLUMN"
 *	data-chunk="N" data-track="CPU|other" data-count="SPANS"
 *	data-bytes="BYTES" [data-wide]>BASE64</script>
 *   <script type="application/json" id="kutrace-behind">{...}</script>
 *	only if there are any: the keys that stood behind the events in the JSON, for
 *	unmakeself to give back
 *   <script type="application/json" id="kutrace-end">
 *	{"chunks":N,"spans":N,"names":N,"elements":N}</script>, where elements
 *	counts the octet-streams; "width":N besides if the JSON's start field had
 *	more than 12 characters
 *
 * BASE64 holds a zlib stream (whose checksum the page's decoder verifies) of
 * BYTES bytes: one LEB128 varint for each span. A chunk has about a million
 * spans of one track and stands on its own: nothing is predicted across its
 * start. A track is the execution on one CPU (every span abuts the next), or
 * "other": all rows that are no execution, in the order they came. A column
 * whose values are all 0 is left out. z() is zigzag: 0 -1 1 -2 ... = 0 1 2 3.
 *
 *   gap	z(start - end of the span before it in the chunk), units of 10 ns;
 *		"other": z(start - start of the one before). First span: z(start)
 *   dur	duration, units of 10 ns
 *   name	number of the dictionary entry: event number and name
 *   pid rpc	z(difference from the span before it in the chunk; first: from 0)
 *   arg ret	z(value)
 *   ipc	z(value)
 *   cpu	z(CPU), only in "other"
 *
 * data-wide is there when a value of the column (for gap: a start), or what is
 * written for it, does not fit 32 bits. "names" elements have data-count and
 * data-bytes only, and hold for each entry z(event), length in bytes, UTF-8
 * bytes; entries count from 0 through all of them. Called by makeself and rawtohtml.
 */
#ifndef KP_PAGE_H
#define KP_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "model/span.h"
#include "page/foreign.h"

/*
 * Memory of a browser's page for each span: 52.6 bytes of the whole process at 39 million spans. templates/js/shell/main.js has the
 * same number. KP_PAGE_LARGE spans take about a gigabyte (with KP_SMALL_LOADS less: see transform/sort.h).
 */
#define KP_PAGE_BROWSER_BYTES	52
#ifdef KP_SMALL_LOADS
#define KP_PAGE_LARGE		2000u
#else
#define KP_PAGE_LARGE		19000000u
#endif

struct kp_page;

struct kp_page_options {
	FILE *out;			/* the page goes here */
	const char *template_path;	/* NULL: the one that came with the tools */
	const char *d3_path;		/* only for the original's templates; or NULL */
	const int *start_width;		/* looked at last: of the JSON's start field; or NULL */
};

/*
 * For a main that makes pages, before anything else: columns are buffers of megabytes
 * that come and go; what is freed goes back to the system at once, so that memory does
 * not depend on how often.
 */
void kp_page_begin(void);

/*
 * Reads the template (nothing is written yet). Returns NULL when that fails;
 * then error holds one line that says what, where and why.
 */
struct kp_page *kp_page_open(const struct kp_page_options *options, char *error,
			     size_t error_size);

/*
 * The sink. Its functions return 0, or a negative errno: -EIO and the like when
 * writing failed, -ERANGE when a value is none that a trace can have, -ENOMEM.
 * kp_page_error() then says more. The page is whole when end() has returned 0.
 */
struct kp_span_sink kp_page_sink(struct kp_page *page);

/* Returns the number of spans that have gone into the page. */
uint64_t kp_page_spans(const struct kp_page *page);

/*
 * Prints how much memory a page of that many spans takes in a browser, if that is more
 * than about a gigabyte.
 */
void kp_page_print_large(uint64_t spans, FILE *out);

/*
 * Is the template one of the original's, which may be for rows of another kind? Into ours
 * these go as spans (page/foreign_spans.h).
 */
bool kp_page_is_original(const struct kp_page *page);

/*
 * The page of rows of another kind, all in one, in place of the sink: with a template of the
 * original's that is for them. An exit status; kp_page_error() as below.
 */
int kp_page_foreign(struct kp_page *page, struct kp_foreign *foreign, FILE *in,
		    const char *shown);

/* What went wrong, one line without the tool's name; "" when nothing did. */
const char *kp_page_error(const struct kp_page *page);

void kp_page_close(struct kp_page *page);

#endif
