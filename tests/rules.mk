# SPDX-License-Identifier: BSD-3-Clause
#
# Tests, demo, benchmarks, their dependencies, and what `make install` copies.
#
# Every tests/unit/test_NAME.c is a cmocka program. It is linked with libkp.a,
# libkutrace.a and the objects named in UNIT_EXTRA_test_NAME (set it in the
# rules.mk of the directory that owns them), and run as built with ASan and
# UBSan, in a build directory of its own, $(BUILD)/san. UNIT_LDLIBS_test_NAME
# adds libraries.
#
# Targets here that install packages (demo, check, check-fast, bench) do it in
# their recipe and build in a second make, so that rules which ask the machine
# something while they are read see it as it is then.

UNIT_SRCS := $(sort $(wildcard tests/unit/test_*.c))
UNIT_NAMES := $(patsubst tests/unit/%.c,%,$(UNIT_SRCS))
UNIT_PROGS := $(addprefix $(BUILD)/tests/unit/,$(UNIT_NAMES))
UNIT_LIBS := $(if $(wildcard postprocess/lib/*.c),$(BUILD)/lib/libkp.a) \
	$(if $(wildcard control/lib_*.c),$(BUILD)/lib/libkutrace.a)

SAN_BUILD := $(BUILD)/san
SAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer
UNIT_SAN_PROGS := $(addprefix $(SAN_BUILD)/tests/unit/,$(UNIT_NAMES))

TESTS_FAST += $(UNIT_SAN_PROGS) $(sort $(wildcard tests/cli/*.sh tests/golden/test_*.sh))
TESTS += $(sort $(wildcard tests/guest/test_*.sh)) $(wildcard tests/viewer/viewer.sh tests/viewer/features.sh tests/viewer/layers.sh tests/viewer/firefox.sh)
# The rare and the long: what has a line "# full" in its head.
TESTS_FULL := $(shell grep -lx '\# full' tests/*/*.sh)
TESTS_CHECK = $(filter-out $(TESTS_FULL),$(sort $(TESTS_FAST) $(TESTS)))

# Kernels, built while tests that do not need them run; see tests/run.
KERNELS := -p patched=kernel-patches/build.sh \
	-p 'builtin=kernel-patches/build.sh --builtin' \
	-p 'debug=kernel-patches/build.sh --config debug'

# Not in the way of a -j that the user gave.
JOBS = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
SUBMAKE = +@$(MAKE) --no-print-directory $(JOBS)
# Everything in the lists that is built, except the sanitized programs.
TEST_PROGS = $(filter-out $(SAN_BUILD)/%,$(filter $(BUILD)/%,$(1)))

.PHONY: unit-progs unit-san guest-payload install-deps check-build check-full
.SECONDEXPANSION:

$(UNIT_NAMES:%=$(BUILD)/obj/tests/unit/%.o): | $(UNIT_LIBS)

$(UNIT_PROGS): $(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o \
		$$(UNIT_EXTRA_$$*) $$(UNIT_LIBS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) \
		-lcmocka -lz -ldeflate -lpthread $(UNIT_LDLIBS_$*) -o $@

unit-progs: $(UNIT_PROGS)

# Leaks in the build's own little generators are no finding.
unit-san:
	+@ASAN_OPTIONS=detect_leaks=0 $(MAKE) --no-print-directory $(JOBS) \
		BUILD=$(SAN_BUILD) CFLAGS='-O1 -g' \
		CC='$(CC) $(SAN_FLAGS)' CXX='$(CXX) $(SAN_FLAGS)' unit-progs

install-deps:
	@tests/deps.sh all

check-fast:
	@tests/deps.sh tools test
	$(SUBMAKE) tools $(sort $(call TEST_PROGS,$(TESTS_FAST)))
	$(SUBMAKE) unit-san
	@BUILD=$(BUILD) tests/run -j $$(nproc) $(sort $(TESTS_FAST))

check: check-build
	@BUILD=$(BUILD) tests/run -j $$(nproc) $(KERNELS) $(TESTS_CHECK)

# Ends with the tests' closing line; fuzzing fails by its exit status.
check-full: check-build
	$(SUBMAKE) fuzz
	@BUILD=$(BUILD) KUTRACE_FULL=1 tests/run -j $$(nproc) -x 3 $(KERNELS) \
		$(sort $(TESTS_FAST) $(TESTS))

check-build:
	@tests/deps.sh all
	$(SUBMAKE) tools $(sort $(call TEST_PROGS,$(TESTS_FAST) $(TESTS)))
	$(SUBMAKE) template
	$(SUBMAKE) unit-san
	$(SUBMAKE) guest-payload

# --- the guests' contents ---------------------------------------------------

GUEST_BIN := $(BUILD)/guest/bin
GUEST_PROGS := $(addprefix $(GUEST_BIN)/,workload $(patsubst tests/guest/prog/%.c,%,\
	$(wildcard tests/guest/prog/*.c)) $(patsubst docs/examples/%.c,%,\
	$(wildcard docs/examples/*.c)))

$(GUEST_BIN)/workload: tests/demo/workload.c $(BUILD)/lib/libkutrace.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -static $< $(filter %.a,$^) -lpthread -o $@

$(GUEST_BIN)/%: tests/guest/prog/%.c $(wildcard tests/guest/prog/*.h) $(BUILD)/lib/libkutrace.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -static $< $(filter %.a,$^) -lpthread -o $@

$(GUEST_BIN)/%: docs/examples/%.c $(BUILD)/lib/libkutrace.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -static $< $(filter %.a,$^) -lpthread -o $@

# The stock kernel, the module built for it, the tools that go into the guest.
guest-payload: tools $(GUEST_PROGS) $(BUILD)/bin/static/kutrace_control
	+@KU_MAKE='$(MAKE)' BUILD=$(BUILD) tests/guest/payload.sh

# --- demo, benchmarks -------------------------------------------------------

demo:
	+@KU_MAKE='$(MAKE) $(JOBS)' BUILD=$(BUILD) tests/demo/demo.sh

bench:
	@tests/deps.sh tools module kernel guest page browser test
	$(SUBMAKE) tools guest-payload
	$(SUBMAKE) bench-progs
	@BUILD=$(BUILD) tests/bench/run

# Native benchmarks: other rules.mk files put executables of $(BUILD)/bench/bin here.
.PHONY: bench-progs
bench-progs: $$(BENCH_PROGS)

# --- install ----------------------------------------------------------------
# The programs and all man pages; what else there is (library, headers, page) the
# directories that own it install by their INSTALL_STEPS. It is for root, and builds
# nothing: what is not there is said.

.PHONY: built built-libs
built-libs: BUILT = $(LIBS)
built: BUILT = $(TOOLS) $(LIBS) $(TEMPLATE)
built built-libs:
	@for file in $(BUILT); do \
		test -f $$file || { echo "make install: $$file is not built:" \
			"make first, not as root" >&2; exit 1; }; \
	done

install: built $$(INSTALL_STEPS)
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(sort $(TOOLS)) $(DESTDIR)$(PREFIX)/bin
	@for page in docs/*.[1-9]; do \
		install -D -m 644 $$page \
			$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/} || exit 1; \
	done
