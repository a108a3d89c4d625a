/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions for the selected session, its recordings, their traces, and the user who owns the
 * traces.
 */
#ifndef KU_CLI_SHARED_TRACES_H
#define KU_CLI_SHARED_TRACES_H

#include <stdbool.h>
#include <sys/types.h>

#include "kutrace_events.h"
#include "libkutrace.h"

/* --- the session --------------------------------------------------------------- */

/* Sets the session named by --session. Returns CMD_OK, or CMD_USAGE after a message. */
int cmd_set_session(const char *name);
const char *cmd_session(void);
/*
 * Makes the library use the session set by cmd_set_session(), for the command @what. The session
 * stays open until another one is set. Returns CMD_OK, or a status after a message.
 */
int cmd_use_session(const char *what);
/*
 * Does the same as cmd_use_session(), and creates the session if it does not exist (sets
 * *@created). @options may be NULL.
 */
int cmd_use_or_create(const char *what, const struct kutrace_session_options *options,
		      bool *created);
/* Creates the session and uses it. Returns 0 or the library's error, without a message. */
int cmd_create_session(const char *name, const struct kutrace_session_options *options);
/* Closes the session. Destroys it if this program created it without the option keep. */
void cmd_close_session(void);
/* Returns the handle in use; NULL: the main session without a handle. */
struct kutrace_handle *cmd_handle(void);
/* Sets whether the next cmd_apply_force() ends and empties the session's recording (-force). */
void cmd_force(bool force);
/*
 * After -force, ends the recording of the selected session and empties its buffer. The caller is
 * about to record, with valid arguments. Returns 0 or the library's error, without a message.
 */
int cmd_apply_force(void);
/* Prints "kutrace_control: WHAT: session NAME: cause: remedy". Returns CMD_FAILED. */
int cmd_session_error(const char *what, const char *name, int error);

/* --- recordings ---------------------------------------------------------------- */

enum {
	CMD_FILTER_PID = 300,
	CMD_FILTER_GROUP,
	CMD_FILTER_CGROUP,
	CMD_FILTER_CPUS,
};

#define CMD_FILTER_OPTIONS \
	{.name = "pid", .id = CMD_FILTER_PID, .wants = "a value"}, \
	{.name = "group", .id = CMD_FILTER_GROUP, .wants = "a value"}, \
	{.name = "cgroup", .id = CMD_FILTER_CGROUP, .wants = "a value"}, \
	{.name = "cpus", .id = CMD_FILTER_CPUS, .wants = "a value"}

/* File with the kernel's list of possible CPUs. Unit tests replace it. */
extern const char *cmd_possible_cpus;

/* Handles a filter option. Returns CMD_OK, or a status after a message. */
int cmd_filter_option(const char *what, int option, const char *value,
		      struct kutrace_filter *filter);

/* The options of start, run and watch. */
struct cmd_record {
	const char *file;
	bool wrap;
	bool percpu;		/* each CPU overwrites its own share (--per-cpu) */
	bool ipc, llc;		/* the trace gets these counter bits */
	uint32_t mb;		/* size of the buffer in MB; 0: not given */
	uint64_t kinds;		/* kinds to record; 0: not given */
	bool filtered;
	struct kutrace_filter filter;
	unsigned int triggers;
	struct kutrace_trigger trigger[KUTRACE_TRIGGERS];
	uint32_t after_ms;
	bool snapshot;		/* triggers take snapshots: the recording goes on */
	bool written;		/* set by run: the trace is in file */
};

/* Ids of the options that cmd_record_option() handles. */
enum {
	CMD_RECORD_SESSION = 400,
	CMD_RECORD_MASK,
	CMD_RECORD_TRIGGER,
};

#define CMD_RECORD_OPTIONS(r) \
	{.name = "wrap", .flag = &(r)->wrap}, {.name = "per-cpu", .flag = &(r)->percpu}, \
	{.name = "snapshot", .flag = &(r)->snapshot}, \
	{.name = "ipc", .flag = &(r)->ipc}, {.name = "llc", .flag = &(r)->llc}, \
	{.name = "session", .id = CMD_RECORD_SESSION, .wants = "a value"}, \
	{.name = "size", .wants = "megabytes", .number = &(r)->mb, .min = 1, .max = 65536}, \
	{.name = "mask", .id = CMD_RECORD_MASK, .wants = "a value"}, \
	{.name = "trigger", .id = CMD_RECORD_TRIGGER, .wants = "a value"}, \
	{.name = "after", .wants = "milliseconds", .number = &(r)->after_ms, .max = 3600000}, \
	CMD_FILTER_OPTIONS

/* Handles an option of cmd_record. Returns CMD_OK, or a status after a message. */
int cmd_record_option(const char *what, int option, const char *value,
		      struct cmd_record *record);
/* Checks all options together. Returns CMD_OK, or CMD_USAGE after a message. */
int cmd_record_check(const char *what, struct cmd_record *record);
/* Prints the firing on standard error. */
void cmd_print_fired(const struct kutrace_fired *fired);
/*
 * Starts a recording in the selected session. Binds it to this process, so that no recording
 * remains if the process is killed. Returns 0 or the library's error; *@failed then is the failed
 * option, or NULL.
 */
int cmd_record_begin(struct cmd_record *record, int (*go)(const char *), const char **failed);
/* Prints the message for an error of cmd_record_begin(). Returns CMD_FAILED. */
int cmd_record_error(const char *what, const char *failed, int error);
/* Unbinds the recording from this process. @keep: the session outlives its handle. */
void cmd_record_unbind(bool keep);

/* --- users --------------------------------------------------------------------- */

/* The user as which a program runs. */
struct cmd_user {
	bool change;		/* change to this user; otherwise the other members are not used */
	uint32_t uid, gid;
	char *name, *home, *shell;
	uint32_t *groups;
	int ngroups;
};

/*
 * Returns true if this process is root by sudo, and stores the user and group of the caller of
 * sudo. Otherwise returns false and stores nothing.
 */
bool cmd_sudo_user(uint32_t *uid, uint32_t *gid);
/*
 * Finds the user @name. If @name is NULL, finds the caller of sudo; without sudo, the user stays
 * unchanged. Returns CMD_OK, or CMD_FAILED after a message. The caller must call cmd_free_user() in
 * both cases.
 */
int cmd_find_user(const char *what, const char *name, struct cmd_user *user);
/* Changes this process to the user, including groups and environment. Returns 0 or -errno. */
int cmd_become_user(const struct cmd_user *user);
void cmd_free_user(struct cmd_user *user);

/* --- traces and pages ---------------------------------------------------------- */

/*
 * Writes the recording to @fname (NULL: the default name) by @write, which is kutrace_dump() or
 * kutrace_snapshot(). Prints the properties of the trace on standard error or output. @what: name
 * of the command, for messages.
 */
int cmd_write_trace(const char *what, const char *fname, bool to_stderr,
		    int (*write)(const char *, const struct kutrace_dump_options *,
				 struct kutrace_dump_result *));
/*
 * Checks, before a recording, that the trace can be written to @fname later (NULL: into the current folder).
 * Creates nothing. Returns CMD_OK, or CMD_FAILED after a message that begins with @what.
 */
int cmd_check_trace_file(const char *what, const char *fname);
/* Sets the pid of the recorded program for the traces that cmd_write_trace() writes; 0: none. */
void cmd_set_program(uint32_t pid);
/* Prints "next: rawtohtml ..." on stderr, if the trace is a file. */
void cmd_print_next(const char *trace);
/* Prints a word on stderr, quoted for a shell. */
void cmd_print_word(const char *word);
/* Makes the page's name: x.html for x.trace, x.json and x.trace.xz, otherwise NAME.html. Returns false if too long. */
bool cmd_page_name(const char *trace, char *page, size_t size);
/*
 * Makes the page in the folder of the trace, as @user. Stores its name in @page. Returns CMD_OK, or
 * CMD_FAILED after a message, which begins with @what.
 */
int cmd_make_page(const char *what, const char *trace, const char *title, const struct cmd_user *user,
		  char *page, size_t size);
/* Number of the most expensive known faults that run prints. */
#define CMD_WORST	"3"
/*
 * Prints on standard error, by spantowhy as @user, the most expensive known faults of the trace. Prints
 * nothing if the trace is no regular file, or spantowhy is missing, and a line if the trace is too large.
 */
void cmd_print_findings(const char *what, const char *trace, const struct cmd_user *user);

/* A search of a trace for known faults in the background. All zero: none. */
struct cmd_search {
	pid_t pid;		/* the searching process; 0: none */
	char trace[4200];
	char findings[4300];	/* file that gets the findings */
};

/* File with the free memory of the machine. Unit tests replace it. */
extern const char *cmd_meminfo;
/* Stores the name of the file with the findings of a trace: x.findings.txt for x.trace. */
void cmd_findings_name(const char *trace, char *name, size_t size);
/*
 * Begins to search the trace, with the lowest priority, as the user who owns new traces. Temporary files go to @folder.
 * Prints the reason if the trace is not searched: it has more than @most_mb MB (--findings), another search runs, or
 * memory is short. Prints nothing if spantowhy is missing.
 */
void cmd_search_begin(const char *what, struct cmd_search *search, const char *trace, const char *folder, uint32_t most_mb);
/* If the search has ended, prints its findings on standard error, one line for each. */
void cmd_search_poll(const char *what, struct cmd_search *search);
/* Ends the search without findings. */
void cmd_search_end(struct cmd_search *search);
/*
 * Opens the page in the browser, as @user. Without a browser, prints the page's name. Returns CMD_OK, or
 * CMD_FAILED after a message.
 */
int cmd_show_page(const char *what, const char *page, const struct cmd_user *user);
/* Does the same as cmd_make_page(), then cmd_show_page(). */
int cmd_open_page(const char *what, const char *trace, const char *title,
		  const struct cmd_user *user);

/* --- other programs ------------------------------------------------------------ */

/* Stores the folder of this program. Returns false if it cannot be found. */
bool cmd_own_folder(char *path, size_t size);
/*
 * Finds a program of KUtrace: in the folder of this program, in ../lib/kutrace/bin of this folder, or in the
 * PATH. Returns false if there is none.
 */
bool cmd_find_program(const char *name, char *path, size_t size);
bool cmd_find_in_path(const char *name, char *path, size_t size);
/* Finds the program that opens pages: $BROWSER, or the default of the display. Returns false if there is none. */
bool cmd_find_browser(char *path, size_t size);
/* Returns whether the environment variable exists and is not empty. */
bool cmd_is_set(const char *variable);

#endif
