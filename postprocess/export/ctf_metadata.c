// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the TSDL of a CTF trace (export/ctf_metadata.h). Text from the trace may come from
 * anybody, so it is written as ASCII without quotes and control characters.
 */
#include "export/ctf_metadata.h"

#include <inttypes.h>
#include <string.h>

#include "common/entry.h"
#include "kutrace_events.h"

const char *kp_ctf_counter(const struct kp_raw *raw)
{
	switch (raw->flags & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC)) {
	case KUTRACE_FLAG_IPC:
		return "_ipc";
	case KUTRACE_FLAG_LLC:
		return "_llc";
	case KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC:
		return "_ipc_llc";
	default:
		return NULL;
	}
}

static void put_text(FILE *out, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		char c = text[i];

		putc(c < ' ' || c > '~' || c == '"' || c == '\\' ? '?' : c, out);
	}
}

static void put_env(FILE *out, const char *key, const char *text)
{
	if (!*text)
		return;
	fprintf(out, "\t%s = \"", key);
	put_text(out, text, strlen(text));
	fputs("\";\n", out);
}

/* Writes all facts of the trace in order: kutrace_0 = "backend=tracepoint"; ... */
static void put_facts(FILE *out, const struct kp_raw *raw)
{
	unsigned int number = 0;
	char key[32];
	size_t i;

	for (i = 0; i < raw->name_count; i++) {
		if (KU_NAME_BASE(raw->names[i].event) != KUTRACE_NAME_META)
			continue;
		snprintf(key, sizeof(key), "kutrace_%u", number++);
		put_env(out, key, raw->names[i].text);
	}
}

/* Writes the number and the full name of each call. Class names have only letters, digits and _. */
static void put_calls(FILE *out, const char *const *names)
{
	unsigned int event;
	char key[32];

	for (event = 0; event < KP_CTF_CALLS; event++) {
		if (!names[event])
			continue;
		snprintf(key, sizeof(key), "kutrace_event_%03x", event);
		put_env(out, key, names[event]);
	}
}

static void put_environment(FILE *out, const struct kp_raw *raw, const struct kp_raw_about *about,
			    const char *const *names)
{
	const size_t release = strcspn(about->kernel, " ");
	char text[64];

	fputs("env {\n", out);
	put_env(out, "hostname", about->host);
	fputs("\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n", out);
	snprintf(text, sizeof(text), "%.*s", (int)release, about->kernel);
	put_env(out, "kernel_release", text);
	put_env(out, "kernel_version", about->kernel + release + (about->kernel[release] == ' '));
	/* readers derive from these which events to expect */
	fputs("\ttracer_name = \"lttng-modules\";\n\ttracer_major = 2;\n\ttracer_minor = 13;\n"
	      "\ttracer_patchlevel = 0;\n", out);
	put_env(out, "architecture", about->arch);
	put_env(out, "boot_id", about->boot_id);
	put_env(out, "cpu_model", about->cpu_model);
	fprintf(out, "\tkutrace_lost = %" PRIu64 ";\n\tkutrace_damaged = %" PRIu64 ";\n"
		"\tkutrace_stale_dropped = %" PRIu64 ";\n\tkutrace_wrapped = %d;\n", raw->lost,
		raw->faults.bad_words + raw->faults.cut_entries + raw->faults.bad_times,
		raw->dropped_first_block, raw->wrapped);
	put_facts(out, raw);
	put_calls(out, names);
	fputs("};\n\n", out);
}

static void put_class(FILE *out, const struct kp_ctf_class *class, size_t id)
{
	static const char *const types[] = {
		[KP_CTF_U8] = "uint8_t", [KP_CTF_U16] = "uint16_t", [KP_CTF_U32] = "uint32_t",
		[KP_CTF_I32] = "int32_t", [KP_CTF_I64] = "int64_t", [KP_CTF_NAME16] = "char_t",
		[KP_CTF_STRING] = "string",
	};
	const struct kp_ctf_field *field = kp_ctf_fields(class->layout);

	fprintf(out, "event {\n\tname = \"%s\";\n\tid = %zu;\n\tstream_id = 0;\n"
		"\tfields := struct {\n", class->name, id);
	for (; field->type != KP_CTF_END; field++)
		fprintf(out, "\t\t%s %s%s;\n", types[field->type], field->name,
			field->type == KP_CTF_NAME16 ? "[16]" : "");
	fputs("\t};\n};\n\n", out);
}

void kp_ctf_metadata(FILE *out, const struct kp_raw *raw, const struct kp_raw_about *about,
		     const char *const *names, const struct kp_ctf_class *classes, size_t count)
{
	const char *counter = kp_ctf_counter(raw);
	size_t i;

	fputs("/* CTF 1.8 */\n\n"
	      "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	      "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	      "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	      "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	      "typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
	      "typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
	      "typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := char_t;\n\n",
	      out);
	fprintf(out, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n"
		"\tbyte_order = le;\n\tpacket.header := struct {\n\t\tuint32_t magic;\n"
		"\t\tuint8_t uuid[16];\n\t\tuint32_t stream_id;\n"
		"\t\tuint64_t stream_instance_id;\n\t};\n};\n\n", about->trace_id);
	put_environment(out, raw, about, names);
	fprintf(out, "clock {\n\tname = \"monotonic\";\n"
		"\tdescription = \"UTC, from the start minute of the trace\";\n"
		"\tfreq = 1000000000;\n\toffset_s = %" PRId64 ";\n\toffset = 0;\n};\n\n",
		about->start_s);
	fputs("typealias integer {\n\tsize = 64; align = 8; signed = false;\n"
	      "\tmap = clock.monotonic.value;\n} := kutrace_time_t;\n\n"
	      "stream {\n\tid = 0;\n\tevent.header := struct {\n\t\tuint16_t id;\n"
	      "\t\tkutrace_time_t timestamp;\n\t};\n"
	      "\tpacket.context := struct {\n\t\tkutrace_time_t timestamp_begin;\n"
	      "\t\tkutrace_time_t timestamp_end;\n\t\tuint64_t content_size;\n"
	      "\t\tuint64_t packet_size;\n\t\tuint64_t packet_seq_num;\n"
	      "\t\tuint64_t events_discarded;\n\t\tuint32_t cpu_id;\n\t};\n"
	      "\tevent.context := struct {\n\t\tint32_t _tid;\n", out);
	if (counter)
		fprintf(out, "\t\tuint8_t %s;\n", counter);
	fputs("\t};\n};\n\n", out);
	for (i = 0; i < count; i++)
		put_class(out, &classes[i], i);
}
