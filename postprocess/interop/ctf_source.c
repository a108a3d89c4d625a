// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a CTF trace through a graph of libbabeltrace2 (interop/ctf.h):
 *
 *	source.ctf.fs -> filter.utils.muxer -> sink, which stores batches of messages
 *
 * Uses only functions that version 2.0 and version 2.1 of the library have.
 */
#include "interop/ctf.h"

#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/text.h"
#include "base/tool.h"

#define NAME_BYTES	300
#define TIME_MAX_NS	4000000000000000000ll

#define fail(source, ...)	kp_message((source)->message, sizeof((source)->message), __VA_ARGS__)

/* Sets @name to the file of the stream with the id at the end of @port; false if there is none. */
static bool file_of_port(const struct kp_ctf_source *source, const char *port, char *name)
{
	const char *id = strrchr(port, '|'), *path;

	for (size_t i = 0; id && i < source->streams.count; i++) {
		path = bt_stream_get_name(source->streams.items[i]);
		if (!path || bt_stream_get_id(source->streams.items[i]) != strtoull(id + 1, NULL, 10))
			continue;
		snprintf(name, NAME_BYTES, "%s: ", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
		return true;
	}
	return false;
}

/* Sets @name to the first file of the trace that a cause of @error names, if there is one. */
static void find_file(const struct kp_ctf_source *source, const bt_error *error, char *name)
{
	static const char port[] = "upstream-port-name=\"";
	const size_t len = strlen(source->files.folder);
	const char *text, *found;

	for (uint64_t i = 0; i < bt_error_get_cause_count(error); i++) {
		text = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, i));
		found = strstr(text, source->files.folder);
		if (found && found[len] == '/') {
			snprintf(name, NAME_BYTES, "%.*s: ", (int)strcspn(found + len + 1, "`'\""), found + len + 1);
			return;
		}
		found = strstr(text, port);
		if (found && file_of_port(source, found + strlen(port), name))
			return;
	}
}

/*
 * A damaged trace can make an assertion of the library fail. It can also cause a division by zero,
 * an access to a page that a file no longer has, or an endless loop. The signal handlers then jump
 * out of the library, which must not be called again. SIGPROF comes after each TICK_US of CPU time.
 * Its handler jumps out after LIMIT_TICKS, or if the call continues after an interrupt. It jumps only
 * if the signal interrupted the library's own code: a jump out of an allocation would leave the
 * allocator's lock held.
 */
#define TICK_US 200000
#if defined(KP_FUZZED)
#define LIMIT_TICKS 2
#elif defined(KP_SMALL_LOADS)
#define LIMIT_TICKS 25
#else
#define LIMIT_TICKS 150
#endif

/* maximum number of executable segments of the library and its plugins */
#define OBJECTS	16

static struct { uintptr_t begin, end; } library_code[OBJECTS];
static size_t library_objects;
static sigjmp_buf leave_library;
static volatile sig_atomic_t in_library, ticks, ticks_interrupted;

static int add_object(struct dl_phdr_info *object, size_t size, void *none)
{
	const ElfW(Phdr) *part;

	(void)size, (void)none;
	if (!strstr(object->dlpi_name, "babeltrace"))
		return 0;
	for (part = object->dlpi_phdr; part < object->dlpi_phdr + object->dlpi_phnum; part++) {
		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || library_objects == OBJECTS)
			continue;
		library_code[library_objects].begin = object->dlpi_addr + part->p_vaddr;
		library_code[library_objects++].end = object->dlpi_addr + part->p_vaddr + part->p_memsz;
	}
	return 0;
}

/* Returns the address of the instruction that the signal interrupted. */
static uintptr_t interrupted_at(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uintptr_t)context->uc_mcontext.pc;
#elif defined(__riscv)
	return (uintptr_t)context->uc_mcontext.__gregs[REG_PC];
#else
#error "name the program counter of this architecture"
#endif
}

static bool is_library_code(uintptr_t at)
{
	for (size_t i = 0; i < library_objects; i++)
		if (at >= library_code[i].begin && at < library_code[i].end)
			return true;
	return false;
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
	(void)info;
	if (!in_library)
		return;
	ticks++;
	ticks_interrupted += kp_interrupted();
	if ((ticks > LIMIT_TICKS || ticks_interrupted > 2) &&
	    is_library_code(interrupted_at(context)))
		siglongjmp(leave_library, sig);
}

static void on_fault(int sig)
{
	if (in_library)
		siglongjmp(leave_library, sig);
	/*
	 * a fault of this program, not of the library: when the handler returns, the fault happens
	 * again and kills the program
	 */
	signal(sig, SIG_DFL);
}

static void catch_faults(void)
{
	static const int faults[] = { SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGTRAP };
	const struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	const struct sigaction tick = { .sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART };
	const struct itimerval every = { .it_interval.tv_usec = TICK_US, .it_value.tv_usec = TICK_US };

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigaction(faults[i], &action, NULL);
	sigaction(SIGPROF, &tick, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
}

/*
 * Calls @call, which must only call the library. Meanwhile, standard output and standard error are
 * written to the log. Returns the result of @call, or -1 with source->broken set after a fault.
 */
static int guarded(struct kp_ctf_source *source, int (*call)(struct kp_ctf_source *))
{
	FILE *const real_stdout = stdout;
	int result = -1;

	dup2(source->log, STDERR_FILENO);
	stdout = stderr;
	ticks = ticks_interrupted = 0;
	in_library = 1;
	source->broken = sigsetjmp(leave_library, 0);
	if (!source->broken)
		result = call(source);
	in_library = 0;
	stdout = real_stdout;
	dup2(source->real_stderr, STDERR_FILENO);
	return result;
}

/*
 * Copies the message in the first line of the log to @text. The line is "DATE TIME ... [trace]
 * TEXT", or in version 2.1 "DATE TIME ... FUNCTION@FILE:LINE TEXT". An assertion has a drawing
 * before the text.
 */
static void read_log(const struct kp_ctf_source *source, char *text, size_t room)
{
	const ssize_t got = pread(source->log, text, room - 1, 0);
	const char *from;

	text[got > 0 ? got : 0] = '\0';
	from = strstr(text, "[trace] ");
	if (!from && (from = strchr(text, '@')))
		from += strcspn(from, " ");
	else
		from = from ? from + strlen("[trace] ") : text;
	while (*from && !((*from | 0x20) >= 'a' && (*from | 0x20) <= 'z'))
		from++;
	memmove(text, from, strlen(from) + 1);
	text[strcspn(text, "\n")] = '\0';
	if (!*text && source->broken)
		snprintf(text, room, "%s in the library: the trace is damaged, or there is no memory",
			 strsignal(source->broken));
}

/* Removes addresses, such as ", fc-addr=0x55bc8e87b1b0", because they differ in each run. */
static void drop_addresses(char *text)
{
	char *at, *from, *to;

	while ((at = strstr(text, "addr=0x"))) {
		for (from = at; from > text && from[-1] != ' '; from--)
			;
		to = at + strlen("addr=0x");
		to += strspn(to, "0123456789abcdef");
		to += strspn(to, ", ");
		memmove(from, to, strlen(to) + 1);
	}
	for (size_t len = strlen(text); len && strchr(" ,:", text[len - 1]); len--)
		text[len - 1] = '\0';
}

/*
 * Returns what the library's message @text about @file means. The trace is damaged if the message
 * is about a stream, or about a line of the metadata except line 0. Otherwise the cause is unknown,
 * because the library also reports missing memory and read errors without a line.
 */
static const char *verdict(const char *file, const char *text)
{
	const bool has_place = !strcmp(file, "metadata: ") ? strstr(text, " line ") && !strstr(text, " line 0 ") : *file;

	if (has_place)
		return "the trace is damaged";
	return *file ? "damaged, or unreadable for lack of memory or an error of the disk" :
	       "libbabeltrace2 cannot read the trace, or has no memory";
}

/*
 * Sets the message to the name of the file and the first line of the log, because version 2.0
 * describes errors of the metadata only in the log. Returns -1.
 */
static int library_failed(struct kp_ctf_source *source)
{
	const bt_error *error = source->broken ? NULL : bt_current_thread_take_error();
	char name[NAME_BYTES] = "", text[400];

	if (source->broken == SIGPROF)
		return kp_interrupted() ? fail(source, "interrupted") :
		       fail(source, "libbabeltrace2 has computed for %g s without a result: the trace is damaged",
			    LIMIT_TICKS * TICK_US / 1e6);
	read_log(source, text, sizeof(text));
	if (error)
		find_file(source, error, name);
	if (error && !*name && !source->meta.events.count)
		snprintf(name, sizeof(name), "metadata: ");
	if (error && !*text)
		snprintf(text, sizeof(text), "%s",
			 bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
	drop_addresses(text);
	if (strstr(text, "llocate"))
		fail(source, "no memory: %s", text);
	else
		fail(source, "%s%s: %s", name, verdict(name, text), text);
	if (error)
		bt_error_release(error);
	return -1;
}

static void release_batch(struct kp_ctf_source *source)
{
	for (uint64_t i = 0; i < source->count; i++)
		bt_message_put_ref(source->messages[i]);
	source->next = source->count = 0;
}

static bt_graph_simple_sink_component_consume_func_status take_batch(bt_message_iterator *from, void *self)
{
	struct kp_ctf_source *source = self;

	release_batch(source);
	if (source->rewind && bt_message_iterator_seek_beginning(from))
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	source->rewind = false;
	switch (bt_message_iterator_next(from, &source->messages, &source->count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		/* do not report the end to the graph, because the trace is read twice */
		source->ended = true;
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_MEMORY_ERROR;
	default:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	}
}

/* Returns the parameters of source.ctf.fs: {inputs: [folder]}. NULL without memory. */
static bt_value *inputs(const char *folder)
{
	bt_value *map = bt_value_map_create(), *list = NULL;

	if (map && !bt_value_map_insert_empty_array_entry(map, "inputs", &list) &&
	    !bt_value_array_append_string_element(list, folder))
		return map;
	bt_value_put_ref(map);
	return NULL;
}

/* Loads the plugins ctf and utils. Returns 0, or -1 if one is missing or there is no memory. */
static int load_plugins(struct kp_ctf_source *source)
{
	bt_current_thread_clear_error();
	source->params = inputs(source->files.folder);
	return !source->params ||
	       bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_TRUE, &source->ctf) ||
	       bt_plugin_find("utils", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_TRUE, &source->utils) ? -1 : 0;
}

static int plugins_failed(struct kp_ctf_source *source)
{
	if (source->broken)
		return library_failed(source);
	bt_current_thread_clear_error();
	if (!source->params)
		return fail(source, "no memory");
	return fail(source, "cannot load the plugin %s of libbabeltrace2, which does not report why; install it again, "
		    "set BABELTRACE_PLUGIN_PATH, or allow more memory and open files", source->ctf ? "utils" : "ctf");
}

/* Sets source->mip to the version of the graph. Returns 0, or -1 with the library's error. */
static int find_mip(struct kp_ctf_source *source, const bt_component_class_source *class)
{
	bt_component_descriptor_set *set = bt_component_descriptor_set_create();
	const int err = !set ||
		bt_component_descriptor_set_add_descriptor(set,
			bt_component_class_source_as_component_class_const(class), source->params) ||
		bt_get_greatest_operative_mip_version(set, BT_LOGGING_LEVEL_ERROR, &source->mip);

	bt_component_descriptor_set_put_ref(set);
	return err ? -1 : 0;
}

/* Connects streams to muxer, and muxer to sink. Returns 0, or -1 with the library's error. */
static int connect_all(bt_graph *graph, const bt_component_source *trace, const bt_component_filter *muxer,
		       const bt_component_sink *sink)
{
	for (uint64_t i = 0; i < bt_component_source_get_output_port_count(trace); i++)
		if (bt_graph_connect_ports(graph, bt_component_source_borrow_output_port_by_index_const(trace, i),
					   bt_component_filter_borrow_input_port_by_index_const(muxer, i), NULL))
			return -1;
	return bt_graph_connect_ports(graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
				      bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL) ? -1 : 0;
}

static int build(struct kp_ctf_source *source)
{
	const bt_component_class_source *reader =
		bt_plugin_borrow_source_component_class_by_name_const(source->ctf, "fs");
	const bt_component_class_filter *muxer =
		bt_plugin_borrow_filter_component_class_by_name_const(source->utils, "muxer");
	const bt_component_source *trace;
	const bt_component_filter *merged;
	const bt_component_sink *sink;

	if (!reader || !muxer || find_mip(source, reader))
		return -1;
	source->graph = bt_graph_create(source->mip);
	if (!source->graph ||
	    bt_graph_add_source_component(source->graph, reader, "trace", source->params,
					  BT_LOGGING_LEVEL_ERROR, &trace) ||
	    bt_graph_add_filter_component(source->graph, muxer, "muxer", NULL, BT_LOGGING_LEVEL_NONE, &merged) ||
	    bt_graph_add_simple_sink_component(source->graph, "sink", NULL, take_batch, NULL, source, &sink))
		return -1;
	return connect_all(source->graph, trace, merged, sink);
}

static int run_once(struct kp_ctf_source *source)
{
	const bt_graph_run_once_status status = bt_graph_run_once(source->graph);
	const bt_error *error = bt_current_thread_take_error();

	/* version 2.0 returns a good status for some errors */
	if (error)
		bt_current_thread_move_error(error);
	return error || (status != BT_GRAPH_RUN_ONCE_STATUS_OK && status != BT_GRAPH_RUN_ONCE_STATUS_AGAIN) ? -1 : 0;
}

/* Reads the next batch. Returns 0, or -1 with a message. */
static int load(struct kp_ctf_source *source)
{
	if (kp_interrupted())
		return fail(source, "interrupted");
	kp_progress(source->total ? source->total + source->events : source->events, 2 * source->total);
	return guarded(source, run_once) ? library_failed(source) : 0;
}

static void count_lost(struct kp_ctf_source *source, const bt_message *message)
{
	uint64_t count;

	if (bt_message_discarded_events_get_count(message, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE)
		source->lost += count;
	else
		source->lost_unknown++;
}

static void count_lost_packets(struct kp_ctf_source *source, const bt_message *message)
{
	uint64_t count;

	if (bt_message_discarded_packets_get_count(message, &count) != BT_PROPERTY_AVAILABILITY_AVAILABLE)
		count = 1;
	source->packets_lost += count;
}

/*
 * Computes the time in ns. The library's own function loses digits if the clock does not count ns.
 */
static int take_time(struct kp_ctf_source *source, const bt_message *message,
		     const struct kp_ctf_stream_class *stream, int64_t *time_ns)
{
	__int128 ns;

	if (!stream->has_clock)
		return fail(source, "the events of a stream have no clock");
	ns = (__int128)stream->offset +
	     bt_clock_snapshot_get_value(bt_message_event_borrow_default_clock_snapshot_const(message));
	ns = ns * 1000000000 / stream->freq + (__int128)stream->offset_s * 1000000000;
	if (ns < 0 || ns > TIME_MAX_NS)
		return fail(source, "the time of an event is not between 1970 and 2096");
	*time_ns = (int64_t)ns;
	return 0;
}

static uint32_t cpu_of(const bt_event *event, const struct kp_ctf_stream_class *stream)
{
	if (!stream->has_cpu)
		return 0;
	return (uint32_t)bt_field_integer_unsigned_get_value(bt_field_structure_borrow_member_field_by_index_const(
		bt_packet_borrow_context_field_const(bt_event_borrow_packet_const(event)), stream->cpu));
}

static int take_event(struct kp_ctf_source *source, const bt_message *message, struct kp_ctf_event *event)
{
	const bt_event *from = bt_message_event_borrow_event_const(message);
	const struct kp_ctf_stream_class *stream;
	uint32_t index;

	if (!kp_map_get(&source->meta.by_class, (uintptr_t)bt_event_borrow_class_const(from), &index))
		return fail(source, "an event has a class that the metadata does not describe");
	event->class = &source->meta.events.items[index];
	stream = &source->meta.streams.items[event->class->stream];
	source->all.there = 0;
	kp_ctf_read_fields(&source->all, &stream->context, bt_event_borrow_common_context_field_const(from));
	kp_ctf_read_fields(&source->all, &event->class->context, bt_event_borrow_specific_context_field_const(from));
	kp_ctf_read_fields(&source->all, &event->class->fields, bt_event_borrow_payload_field_const(from));
	event->all = &source->all;
	event->cpu = cpu_of(from, stream);
	source->events++;
	return take_time(source, message, stream, &event->time_ns) ? -1 : 1;
}

/* Handles a message. Returns 1 for an event, 0 for other messages, or -1 with source->message. */
static int take_message(struct kp_ctf_source *source, const bt_message *message, struct kp_ctf_event *event)
{
	const bt_stream **stream;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return take_event(source, message, event);
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		stream = KP_PUSH(&source->streams);
		if (!stream)
			return fail(source, "no memory");
		*stream = bt_message_stream_beginning_borrow_stream_const(message);
		break;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		source->packets++;
		break;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		count_lost(source, message);
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		count_lost_packets(source, message);
		break;
	default:
		break;
	}
	return 0;
}

int kp_ctf_source_next(struct kp_ctf_source *source, struct kp_ctf_event *event)
{
	int there;

	for (;;) {
		while (source->next == source->count) {
			if (source->ended && !source->rewind) {
				source->total = source->events;
				return 0;
			}
			source->ended = false;
			if (load(source))
				return -1;
		}
		there = take_message(source, source->messages[source->next++], event);
		if (there)
			return there;
	}
}

/*
 * Returns true if the trace is CTF 2, but the library reads only CTF 1.8. The metadata of CTF 2
 * begins with the character RS.
 */
static bool is_too_new(const struct kp_ctf_source *source)
{
	char path[PATH_MAX + sizeof("/metadata")];
	FILE *file;
	bool is_ctf2;

	snprintf(path, sizeof(path), "%s/metadata", source->files.folder);
	file = fopen(path, "re");
	is_ctf2 = file && getc(file) == 0x1e;
	if (file)
		fclose(file);
	return is_ctf2 && bt_version_get_major() == 2 && !bt_version_get_minor();
}

/* Reads the metadata from the first message, which begins a stream. */
static int read_classes(struct kp_ctf_source *source)
{
	const bt_stream *stream;

	while (!source->count && !source->ended)
		if (load(source))
			return -1;
	if (source->ended)
		return fail(source, "the trace has no events");
	if (bt_message_get_type(source->messages[0]) != BT_MESSAGE_TYPE_STREAM_BEGINNING)
		return fail(source, "the trace does not begin with a stream");
	stream = bt_message_stream_beginning_borrow_stream_const(source->messages[0]);
	return kp_ctf_meta_read(&source->meta, bt_stream_borrow_trace_const(stream), source->mip) ?
	       fail(source, "no memory") : 0;
}

int kp_ctf_source_open(struct kp_ctf_source *source, const struct kp_ctf_files *files)
{
	memset(source, 0, sizeof(*source));
	source->files = *files;
	source->log = memfd_create("log", MFD_CLOEXEC);
	source->real_stderr = dup(STDERR_FILENO);
	kp_progress_phase("reading", "events");
	if (source->log < 0 || source->real_stderr < 0)
		return fail(source, "cannot open a file for messages: %s", strerror(errno));
	if (is_too_new(source))
		return fail(source, "metadata: CTF 2, but version 2.0 of libbabeltrace2 reads only CTF 1.8; "
			    "install 2.1 of it, or record by lttng create --trace-format=ctf-1.8");
	catch_faults();
	if (guarded(source, load_plugins))
		return plugins_failed(source);
	library_objects = 0;
	dl_iterate_phdr(add_object, NULL);
	return guarded(source, build) ? library_failed(source) : read_classes(source);
}

void kp_ctf_source_rewind(struct kp_ctf_source *source)
{
	if (source->next || source->ended) {
		source->rewind = true;
		source->next = source->count;
	}
	source->streams.count = 0;
	source->events = source->packets = source->packets_lost = source->lost = source->lost_unknown = 0;
}

static int put_all(struct kp_ctf_source *source)
{
	release_batch(source);
	bt_graph_put_ref(source->graph);
	bt_value_put_ref(source->params);
	bt_plugin_put_ref(source->utils);
	bt_plugin_put_ref(source->ctf);
	return 0;
}

void kp_ctf_source_close(struct kp_ctf_source *source)
{
	if (!source->broken)	/* after a fault, the library's objects are in an unknown state */
		guarded(source, put_all);
	close(source->log);
	close(source->real_stderr);
	kp_ctf_meta_free(&source->meta);
	free(source->streams.items);
	kp_ctf_files_close(&source->files);
	memset(source, 0, sizeof(*source));
}
