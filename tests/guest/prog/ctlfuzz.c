// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes random calls to the module, of every kind that user space can make: all ioctls, the control
 * system call, mappings, the files for scripts. The caller is root, a member of the group or a user
 * who may only mark. It has one thread, or two that use the same files. Some processes are killed
 * while they make calls. For tests/guest/test_fuzz_calls.sh.
 *
 *	ctlfuzz [--seed N] [--seconds N] [--programs N] [--places N]
 *			ends after --seconds, or after --programs. With --places, continues until N
 *			places in the code have been reached, or --programs times ten have run
 *	ctlfuzz --replay 'PROGRAM'	runs the program of a finding a hundred times
 *
 * A program is a list of calls (ctlfuzz.h, ctlfuzz_calls.h), which a separate process executes. On
 * a kernel with KCOV, each program that reaches new code is stored, and most programs are stored
 * programs with small changes. Without KCOV, all programs are new. The same seed makes the same
 * programs only while they reach the same code, which also depends on timing. So a finding is
 * printed with its program.
 *
 * Exit status: 0; 1: a finding, which is printed; 2: usage. A finding is a call that succeeded
 * without the right to make it, an address of the kernel in an answer, an error number that
 * programs must not see, a process that died by a signal that ctlfuzz did not send or that does not
 * end, or a tainted kernel. boot.sh checks the kernel's log.
 */
#include <grp.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <time.h>

#include "ctlfuzz_calls.h"

#define KCOV_INIT_TRACE _IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define KCOV_DISABLE	_IO('c', 101)
#define KCOV_PATH	"/sys/kernel/debug/kcov"

#define COVER_WORDS  (256 << 10)
#define MAP_BITS     16
#define CORPUS	     4096
#define HUNG_SECONDS 120
#define TAINT_MISHAPS                                                                    \
	(1 << 5 | 1 << 7 | 1 << 9 | 1 << 14) /* bad page, oops, warning, lockup */

static struct {
	int fd; /* KCOV's file, -1: there is none */
	unsigned long *words; /* KCOV's buffer: the number of addresses, then the addresses */
	uint8_t seen[1 << MAP_BITS];
	uint32_t count;
} cover = {.fd = -1};

static struct program corpus[CORPUS];
static uint32_t ncorpus;
static struct tally *tally;
static char *arena;

/* ---- programs ---- */

static void make_call(struct chance *chance, struct call *call)
{
	do
		call->op = (uint8_t)chance_below(chance, OPS);
	while (op_ends((enum op)call->op) && !chance_one_in(chance, 4));
	/* Mostly use the first slot, so that most calls use the same file. */
	call->slot = chance_one_in(chance, 6) ? (uint8_t)chance_below(chance, SLOTS) : 0;
	call->variant = (uint16_t)chance_next(chance);
	call->seed = (uint32_t)chance_next(chance);
}

static void make_program(struct chance *chance, struct program *program)
{
	static const enum role roles[] = {ROLE_ROOT,  ROLE_ROOT,  ROLE_ROOT,   ROLE_GROUP,
					  ROLE_GROUP, ROLE_GROUP, ROLE_GROUP2, ROLE_PLAIN,
					  ROLE_PLAIN, ROLE_USERNS};
	uint32_t i;

	memset(program, 0, sizeof(*program));
	program->role =
		(uint8_t)roles[chance_below(chance, sizeof(roles) / sizeof(roles[0]))];
	program->threads = chance_one_in(chance, 4) ? 2 : 1;
	program->count = (uint8_t)(8 + chance_below(chance, CALLS - 7));
	for (i = 0; i < program->count; i++)
		make_call(chance, &program->call[i]);
	/* Open a file first, because most calls need one. */
	program->call[0] = (struct call){.op = OP_OPEN};
	if (chance_one_in(chance, 2))
		program->call[1] =
			(struct call){.op = OP_NODE,
				      .variant = (uint16_t)chance_next(chance)};
}

static void change_program(struct chance *chance, struct program *program)
{
	uint32_t changes = 1 + chance_below(chance, 4), at, from;
	const struct program *other;

	while (changes--) {
		at = chance_below(chance, program->count);
		switch (chance_below(chance, 9)) {
		case 0:
			make_call(chance, &program->call[at]);
			break;
		case 1:
		case 2:
			program->call[at].seed = (uint32_t)chance_next(chance);
			break;
		case 3:
			program->call[at].variant = (uint16_t)chance_next(chance);
			break;
		case 4:
			program->call[at].slot = (uint8_t)chance_below(chance, SLOTS);
			break;
		case 5:
			if (program->count == CALLS)
				break;
			memmove(&program->call[at + 1], &program->call[at],
				(program->count - at) * sizeof(program->call[0]));
			make_call(chance, &program->call[at]);
			program->count++;
			break;
		case 6:
			if (program->count < 3)
				break;
			program->count--;
			memmove(&program->call[at], &program->call[at + 1],
				(program->count - at) * sizeof(program->call[0]));
			break;
		case 7:
			program->role = (uint8_t)chance_below(chance, ROLES);
			program->threads = chance_one_in(chance, 4) ? 2 : 1;
			break;
		default:
			/* replace the rest by the rest of another program */
			other = &corpus[chance_below(chance, ncorpus)];
			from = chance_below(chance, other->count);
			while (at < CALLS && from < other->count)
				program->call[at++] = other->call[from++];
			if (at > program->count)
				program->count = (uint8_t)at;
			break;
		}
	}
}

static void print_program(const struct program *program)
{
	uint32_t i;

	printf("PROGRAM %u %u", program->role, program->threads);
	for (i = 0; i < program->count; i++)
		printf(" %s:%u:%u:%u", op_names[program->call[i].op],
		       program->call[i].slot, program->call[i].variant,
		       program->call[i].seed);
	printf("\n");
	fflush(stdout);
}

/* Returns 0, or -1 if the text is no program. */
static int read_program(const char *text, struct program *program)
{
	unsigned int role, threads, slot, variant, seed, op;
	char name[20];
	int n = 0;

	memset(program, 0, sizeof(*program));
	if (sscanf(text, "PROGRAM %u %u%n", &role, &threads, &n) != 2 || role >= ROLES)
		return -1;
	program->role = (uint8_t)role;
	program->threads = (uint8_t)threads;
	for (text += n; program->count < CALLS; text += n) {
		if (sscanf(text, " %19[a-z_]:%u:%u:%u%n", name, &slot, &variant, &seed,
			   &n) != 4)
			break;
		for (op = 0; op < OPS && strcmp(name, op_names[op]); op++)
			;
		if (op == OPS || slot >= SLOTS)
			return -1;
		program->call[program->count++] =
			(struct call){(uint8_t)op, (uint8_t)slot, (uint16_t)variant,
				      seed};
	}
	return program->count && !*text ? 0 : -1;
}

/* ---- execution of programs ---- */

static void become(unsigned int uid, gid_t group)
{
	if (setgroups(group ? 1 : 0, &group) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid)) {
		perror("ctlfuzz: setresuid");
		_exit(8);
	}
}

static void become_role(enum role role)
{
	int fd;

	switch (role) {
	case ROLE_GROUP:
		become(1000, 500);
		break;
	case ROLE_GROUP2:
		become(1001, 500);
		break;
	case ROLE_PLAIN:
		become(65534, 0);
		break;
	case ROLE_USERNS:
		become(1002, 0);
		/* If the kernel has no user namespaces, this is another user who may only mark. */
		if (unshare(CLONE_NEWUSER))
			break;
		fd = open("/proc/self/uid_map", O_WRONLY);
		if (fd >= 0 && write(fd, "0 1002 1", 8) != 8)
			perror("ctlfuzz: uid_map");
		close(fd);
		break;
	case ROLE_ROOT:
	case ROLES:
		break;
	}
	/* ctlfuzz must be able to kill the process, whatever its user is. */
	prctl(PR_SET_DUMPABLE, 1);
}

struct thread {
	struct state *state;
	const struct program *program;
};

static void *execute(void *arg)
{
	const struct thread *thread = arg;
	uint32_t i;

	for (i = 0; i < thread->program->count; i++)
		do_call(thread->state, &thread->program->call[i]);
	return NULL;
}

static void child(const struct program *program, uint64_t number)
{
	struct state state = {.role = (enum role)program->role,
			      .arena = arena,
			      .tally = tally,
			      .racing = program->threads > 1};
	struct thread thread = {&state, program};
	pthread_t other;
	char name[16];
	int i;

	snprintf(name, sizeof(name), "fuzz%llu", (unsigned long long)number);
	prctl(PR_SET_NAME, name);
	for (i = 0; i < SLOTS; i++) {
		state.device[i] = -1;
		state.node[i] = -1;
	}
	become_role(state.role);
	if (cover.fd >= 0 && ioctl(cover.fd, KCOV_ENABLE, 0))
		perror("ctlfuzz: KCOV_ENABLE");
	if (state.racing && pthread_create(&other, NULL, execute, &thread))
		_exit(8);
	execute(&thread);
	if (state.racing)
		pthread_join(other, NULL);
	if (cover.fd >= 0)
		ioctl(cover.fd, KCOV_DISABLE, 0);
	_exit(0);
}

static unsigned int tainted(void)
{
	char text[20] = "";
	int fd = open("/proc/sys/kernel/tainted", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return (unsigned int)strtoul(text, NULL, 10) & TAINT_MISHAPS;
}

/* Waits for the end of the process. Returns its status, or -1 if it does not end. */
static int wait_for(pid_t pid)
{
	const struct timespec limit = {HUNG_SECONDS, 0};
	sigset_t set;
	int status;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	while (waitpid(pid, &status, WNOHANG) != pid)
		if (sigtimedwait(&set, NULL, &limit) < 0 && errno == EAGAIN)
			return -1;
	return status;
}

/* Returns 1 if there is a finding. */
static int run(const struct program *program, uint64_t number, struct chance *chance)
{
	bool kill_it = chance_one_in(chance, 10);
	const char *what = NULL;
	int status;
	pid_t pid;

	if (cover.fd >= 0)
		__atomic_store_n(&cover.words[0], 0, __ATOMIC_RELAXED);
	fflush(stdout);
	pid = fork();
	if (!pid)
		child(program, number);
	if (pid < 0) {
		perror("ctlfuzz: fork");
		return 1;
	}
	if (kill_it) {
		usleep(chance_below(chance, 20000));
		kill(pid, SIGKILL);
	}
	status = wait_for(pid);
	if (status == -1)
		what = "does not end";
	else if (WIFSIGNALED(status) && !(kill_it && WTERMSIG(status) == SIGKILL))
		what = strsignal(WTERMSIG(status));
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		what = WEXITSTATUS(status) == 9 ? "see BAD above" : "could not begin";
	else if (tainted())
		what = "the kernel is tainted: see its log";
	if (!what)
		return 0;
	printf("FOUND by program %llu: %s\n", (unsigned long long)number, what);
	print_program(program);
	return 1;
}

/* Returns the number of places that a program has now reached for the first time. */
static uint32_t look_at_cover(void)
{
	unsigned long i, n, bit;
	uint32_t fresh = 0;

	if (cover.fd < 0)
		return 0;
	n = __atomic_load_n(&cover.words[0], __ATOMIC_RELAXED);
	if (n >= COVER_WORDS)
		n = COVER_WORDS - 1;
	for (i = 1; i <= n; i++) {
		bit = cover.words[i] * 0x9E3779B97F4A7C15UL >> (64 - MAP_BITS);
		fresh += !cover.seen[bit];
		cover.seen[bit] = 1;
	}
	cover.count += fresh;
	return fresh;
}

static void open_cover(void)
{
	/* debugfs may be mounted already; then this fails. */
	mount("debug", "/sys/kernel/debug", "debugfs", 0, NULL);
	cover.fd = open(KCOV_PATH, O_RDWR);
	if (cover.fd < 0)
		return;
	cover.words = MAP_FAILED;
	if (!ioctl(cover.fd, KCOV_INIT_TRACE, COVER_WORDS))
		cover.words = mmap(NULL, COVER_WORDS * sizeof(*cover.words),
				   PROT_READ | PROT_WRITE, MAP_SHARED, cover.fd, 0);
	if (cover.words != MAP_FAILED)
		return;
	perror("ctlfuzz: " KCOV_PATH);
	exit(1);
}

/* Removes sessions that outlive their programs, and ends a recording of the main session. */
static void tidy(void)
{
	struct kutrace_session session = {.length = sizeof(session), .id = 1};
	struct kutrace_control off = {.command = KUTRACE_CMD_OFF};
	struct kutrace_control reset = {.command = KUTRACE_CMD_RESET};
	int fd = open(KUTRACE_DEVICE, O_RDWR | O_CLOEXEC);

	while (!ioctl(fd, KUTRACE_IOC_SESSION_LIST, &session)) {
		ioctl(fd, KUTRACE_IOC_SESSION_DESTROY, &session);
		session = (struct kutrace_session){.length = sizeof(session), .id = 1};
	}
	ioctl(fd, KUTRACE_IOC_CONTROL, &off);
	ioctl(fd, KUTRACE_IOC_CONTROL, &reset);
	close(fd);
}

/* ---- the whole run ---- */

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void say_state(uint64_t programs, uint64_t ms)
{
	printf("programs %llu seconds %llu covered %u kept %u\n",
	       (unsigned long long)programs, (unsigned long long)ms / 1000, cover.count,
	       ncorpus);
	fflush(stdout);
}

static void say_tally(void)
{
	uint32_t i;

	for (i = 0; i < OPS; i++)
		printf("call %s %llu %llu\n", op_names[i],
		       (unsigned long long)tally->done[i],
		       (unsigned long long)tally->refused[i]);
	for (i = 0; i < 16; i++)
		printf("command %u %llu\n", i, (unsigned long long)tally->commands[i]);
}

/* Limits of a run; 0 places: no limit of places. */
struct bounds {
	uint64_t seconds;
	uint64_t programs;
	uint32_t places;
};

/* Returns true if the run ends after @programs programs and @ms milliseconds. */
static bool enough(const struct bounds *bounds, uint64_t programs, uint64_t ms)
{
	if (ms >= bounds->seconds * 1000)
		return true;
	if (programs < bounds->programs)
		return false;
	return cover.count >= bounds->places || programs / 10 >= bounds->programs;
}

static int fuzz(uint64_t seed, const struct bounds *bounds)
{
	uint64_t begin = now_ms(), said = begin, n;
	struct chance chance = {seed};
	struct program program;
	int found = 0;

	printf("seed %llu coverage %s\n", (unsigned long long)seed,
	       cover.fd < 0 ? "none" : "KCOV");
	for (n = 0; !found && !enough(bounds, n, now_ms() - begin); n++) {
		if (!ncorpus || chance_one_in(&chance, 5)) {
			make_program(&chance, &program);
		} else {
			program = corpus[chance_below(&chance, ncorpus)];
			change_program(&chance, &program);
		}
		found = run(&program, n, &chance);
		if (look_at_cover() && ncorpus < CORPUS)
			corpus[ncorpus++] = program;
		if (!(n % 8))
			tidy();
		if (now_ms() - said > 20000) {
			said = now_ms();
			say_state(n, said - begin);
		}
	}
	tidy();
	say_state(n, now_ms() - begin);
	say_tally();
	return found;
}

static int replay(const char *text)
{
	struct chance chance = {1};
	struct program program;
	int found = 0;
	uint64_t n;

	if (read_program(text, &program)) {
		fprintf(stderr, "ctlfuzz: no program: %s\n", text);
		return 2;
	}
	for (n = 0; n < 100 && !found; n++)
		found = run(&program, n, &chance);
	tidy();
	printf("%s\n", found ? "found again" : "not found again");
	return found;
}

int main(int argc, char **argv)
{
	struct bounds bounds = {.seconds = ~0ULL / 1000, .programs = ~0ULL};
	uint64_t seed = (uint64_t)time(NULL);
	const char *text = NULL;
	sigset_t set;
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--seconds"))
			bounds.seconds = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--programs"))
			bounds.programs = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--places"))
			bounds.places = (uint32_t)strtoul(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--replay"))
			text = argv[i + 1];
		else
			break;
	}
	if (i != argc) {
		fputs("usage: ctlfuzz [--seed N] [--seconds N] [--programs N] "
		      "[--places N]\n       ctlfuzz --replay PROGRAM\n",
		      stderr);
		return 2;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	arena = mmap(NULL, ARENA + 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED || arena == MAP_FAILED ||
	    mprotect(arena + ARENA, 4096, PROT_NONE)) {
		perror("ctlfuzz: mmap");
		return 1;
	}
	open_cover();
	return text ? replay(text) : fuzz(seed, &bounds);
}
