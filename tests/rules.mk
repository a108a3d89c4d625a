# SPDX-License-Identifier: BSD-3-Clause
#
# Tests, demo, benchmarks, their dependencies, and the files that `make install` copies.
#
# Every tests/unit/test_NAME.c is a cmocka program. It is linked with libkp.a, libkutrace.a and the
# objects in UNIT_EXTRA_test_NAME, which the rules.mk in the folder of these objects sets. The tests
# run a build with ASan and UBSan in $(BUILD)/san. UNIT_LDLIBS_test_NAME adds libraries.
#
# Targets such as demo, check and bench install packages in their recipe, and then build in a second
# make. The second make reads the makefiles again, so it finds the installed packages.

UNIT_SRCS := $(sort $(wildcard tests/unit/test_*.c))
UNIT_NAMES := $(patsubst tests/unit/%.c,%,$(UNIT_SRCS))
UNIT_PROGS := $(addprefix $(BUILD)/tests/unit/,$(UNIT_NAMES))
UNIT_LIBS := $(if $(wildcard postprocess/base/*.c),$(BUILD)/lib/libkp.a) \
	$(if $(wildcard control/lib/*.c control/lib/*/*.c),$(BUILD)/lib/libkutrace.a)

SAN_BUILD := $(BUILD)/san
SAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer
# Use the faster linker, if available, because there are some eighty programs.
SAN_LDFLAGS = $(shell echo 'int main(void) { return 0; }' | $(CC) -fuse-ld=gold -x c - -o /dev/null 2>/dev/null && \
	echo -fuse-ld=gold)
UNIT_SAN_PROGS := $(addprefix $(SAN_BUILD)/tests/unit/,$(UNIT_NAMES))
# The filters are also built with sanitizers: tests/cli/corpus.sh runs each of them many times in
# one process (tests/cli/served.c).
FILTERS = $(filter-out %/kutrace %/kutrace_control %/eventtospan3 %/samptoname_k %/samptoname_u,$(TOOLS))
SAN_FILTERS = $(patsubst $(BUILD)/%,$(SAN_BUILD)/%,$(FILTERS))

# Stress tests of the ring core: `make stress-ring`.
STRESS_RING := $(BUILD)/tests/stress_ring_interrupts $(BUILD)/tests/stress_ring_threads

# Programs that tests use in addition to the tools; see built() in tests/cli/filter.inc.
TEST_HELPERS := $(BUILD)/bench/gen_trace $(BUILD)/bench/gen_fleet $(BUILD)/bench/timed $(BUILD)/tests/recording \
	$(BUILD)/tests/golden/refcompare $(BUILD)/gen/gen_events $(BUILD)/gen/gen_page_events $(BUILD)/gen/gen_caveats $(BUILD)/gen/gen_tables $(BUILD)/gen/events \
	$(BUILD)/tests/make_traces $(BUILD)/tests/make_lttng $(BUILD)/tests/make_shapes $(BUILD)/tests/make_crash $(BUILD)/tests/flip \
	$(BUILD)/tests/cost \
	$(BUILD)/tests/conserve $(BUILD)/tests/clocks $(STRESS_RING)

TESTS_FAST += $(UNIT_SAN_PROGS) $(sort $(wildcard tests/cli/*.sh tests/golden/test_*.sh))
# Each line "# also: NAME ..." of a test is another test (tests/run). The line may end with "full" or "ci".
ALSO = $(shell awk '/^\# also: .*$(1)$$/ { sub("[^/]*$$", "test_" $$3, FILENAME); print FILENAME }' tests/*/test_*.sh)
TESTS += $(call ALSO) $(sort $(wildcard tests/guest/test_*.sh tests/stress/test_*.sh)) $(wildcard tests/viewer/viewer.sh tests/viewer/features.sh tests/viewer/layers.sh tests/viewer/firefox.sh tests/viewer/hostile_firefox.sh tests/viewer/panes.sh tests/viewer/speedscope.sh tests/viewer/types.sh)
# Only `make check-full` runs tests with the line "# full" in their head. Tests with "# ci" take half
# an hour together, and `make check-ci` runs them. `make check` runs the other tests for every change.
# With KUTRACE_FAST, these use a sample of their inputs.
TESTS_FULL := $(shell grep -lx '\# full' tests/*/*.sh) $(call ALSO, full)
TESTS_CI := $(shell grep -lx '\# ci' tests/*/*.sh) $(call ALSO, ci)
TESTS_CHECK_CI = $(filter-out $(TESTS_FULL),$(sort $(TESTS_FAST) $(TESTS)))
TESTS_CHECK = $(filter-out $(TESTS_CI),$(TESTS_CHECK_CI))
# The unit tests, and the tests with a line "# fast", which need neither kernels nor browsers: a
# minute in all.
TESTS_CHECK_FAST = $(UNIT_SAN_PROGS) $(shell grep -lx '\# fast' tests/*/*.sh)

# Kernels that are built while other tests run; see -p in tests/run.
KERNEL_PATCHED := -p 'patched=kernel-patches/build.sh --keep-tree'
KERNELS := $(KERNEL_PATCHED) \
	-p 'builtin=kernel-patches/build.sh --builtin' \
	-p 'debug=kernel-patches/build.sh --config debug' \
	-p 'debugstock=kernel-patches/build.sh --unpatched --config debug'

# One test runs per CPU, and up to three while CPUs are idle, for example when a guest or a browser
# waits. More tests at the start save no time, because each test then takes longer. Time limits are
# three times those of an idle machine, so that other load makes no test fail.
RUN = tests/run -x 3 -j $$(nproc) -m $$(($$(nproc) * 3))

# Uses the number of jobs that the user gave to make, or the number of CPUs.
JOBS = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
SUBMAKE = +@$(MAKE) --no-print-directory $(JOBS)
# Uses the ccache of the kernel builds, if available: in a fresh checkout, most files were compiled
# before in another checkout. The locale is fixed, because ccache's keys include the locale.
CACHE = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/kutrace/ccache
define CHECKMAKE
+@set --; ! command -v ccache >/dev/null || set -- CC='ccache $(CC)' CXX='ccache $(CXX)'; \
	LANG=C.UTF-8 LC_ALL=C.UTF-8 \
	CCACHE_DIR='$(CACHE)' CCACHE_MAXSIZE=3G CCACHE_NOHASHDIR=1 CCACHE_BASEDIR='$(CURDIR)' \
	$(MAKE) --no-print-directory $(JOBS) "$$@"
endef
# Returns the built programs of a list of tests, except the sanitized programs.
TEST_PROGS = $(filter-out $(SAN_BUILD)/%,$(filter $(BUILD)/%,$(1)))

.PHONY: unit-progs unit-san san-units san-filters test-helpers guest-programs guest-payload guest-cross guest-arm64 guest-riscv64 guest-qemu install-deps check-build check-ci check-full check-kernels docs-kernels
.SECONDEXPANSION:

$(UNIT_NAMES:%=$(BUILD)/obj/tests/unit/%.o): | $(UNIT_LIBS)

$(UNIT_PROGS): $(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o \
		$$(UNIT_EXTRA_$$*) $$(UNIT_LIBS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) \
		-lcmocka -lz $(KP_PACK_LIBS) $(UNIT_LDLIBS_$*) -o $@

unit-progs: $(UNIT_PROGS)

# Memory leaks in the small generators that the build runs are no error.
define SANMAKE
+@ASAN_OPTIONS=detect_leaks=0 $(MAKE) --no-print-directory $(JOBS) BUILD=$(SAN_BUILD) NEEDS=$(NEEDS) SANITIZED=1 \
	CFLAGS='-O1 -g -DKP_SMALL_LOADS' LDFLAGS='$(SAN_LDFLAGS)' CC='$(CC) $(SAN_FLAGS)' CXX='$(CXX) $(SAN_FLAGS)'
endef
unit-san: | $(NEEDS)
	$(SANMAKE) unit-progs $(SAN_FILTERS)

san-units: | $(NEEDS)
	$(SANMAKE) unit-progs

san-filters: | $(NEEDS)
	$(SANMAKE) $(SAN_FILTERS)

# Builds the threaded programs with ThreadSanitizer, for tests/cli/tsan.sh.
TSAN_BUILD := $(BUILD)/tsan
TSAN_PROGS := $(addprefix $(TSAN_BUILD)/bin/,rawtohtml rawtoperfetto makeself) \
	$(addprefix $(TSAN_BUILD)/tests/unit/,test_ahead test_worker test_rows)
.PHONY: tsan
tsan: | $(NEEDS)
	+@$(MAKE) --no-print-directory $(JOBS) BUILD=$(TSAN_BUILD) NEEDS=$(NEEDS) \
		CFLAGS='-O1 -g -DKP_SMALL_LOADS' CC='$(CC) -fsanitize=thread' $(TSAN_PROGS)

ifneq ($(SANITIZED),)
$(FILTERS): $(BUILD)/obj/tests/cli/served.o
$(FILTERS): override LDFLAGS += -Wl,--wrap=main
endif

test-helpers: $(TEST_HELPERS)

$(BUILD)/tests/make_traces $(BUILD)/tests/make_lttng $(BUILD)/tests/make_shapes: $(BUILD)/tests/%: $(BUILD)/obj/tests/data/%.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(BUILD)/tests/make_crash: $(BUILD)/obj/tests/data/make_crash.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lz -o $@

$(BUILD)/tests/flip $(BUILD)/tests/cost: $(BUILD)/tests/%: $(BUILD)/obj/tests/cli/%.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(BUILD)/tests/conserve $(BUILD)/tests/clocks: $(BUILD)/tests/%: $(BUILD)/obj/tests/stress/%.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lm -o $@

$(STRESS_RING): $(BUILD)/tests/stress_%: $(BUILD)/obj/tests/stress/%.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lcmocka -lpthread -o $@

# Runs random rounds for STRESS_MINUTES; tests/stress/stress.sh --help lists the options.
.PHONY: stress stress-ring
stress: guest-qemu
	@tests/deps.sh tools module kernel guest test
	$(CHECKMAKE) guest-payload test-helpers
	@BUILD=$(BUILD) tests/stress/stress.sh

# Takes two minutes on an idle machine, with these numbers of events.
STRESS_RING_INTERRUPTS ?= 1000000000
STRESS_RING_THREADS ?= 100000000
stress-ring:
	@tests/deps.sh tools test
	$(CHECKMAKE) $(STRESS_RING)
	$(BUILD)/tests/stress_ring_interrupts $(STRESS_RING_INTERRUPTS) $(STRESS_SEED)
	$(BUILD)/tests/stress_ring_threads $(STRESS_RING_THREADS)

# Tests the packages and the demo in minimal root folders of Debian 12 and 13. Takes half an hour and
# needs root.
.PHONY: check-packages
check-packages:
	tests/packages/root.sh bookworm
	tests/packages/root.sh trixie
	tests/packages/demo.sh bookworm
	tests/packages/demo.sh trixie

# Tests the packages in a complete Debian 13 in QEMU, installed as by a user. Takes half an hour or
# more, and needs root.
.PHONY: check-system
check-system: guest-qemu
	@tests/deps.sh tools system
	tests/system/system.sh

install-deps:
	@tests/deps.sh all

check-fast:
	@tests/deps.sh tools test
	$(CHECKMAKE) tools test-helpers san-units $(sort $(call TEST_PROGS,$(TESTS_FAST)))
	@BUILD=$(BUILD) KUTRACE_BUILT=1 KUTRACE_FAST=1 $(RUN) $(sort $(TESTS_CHECK_FAST))

check: check-build
	@BUILD=$(BUILD) KUTRACE_BUILT=1 KUTRACE_FAST=1 $(RUN) $(KERNEL_PATCHED) $(TESTS_CHECK)

check-ci: check-build
	@BUILD=$(BUILD) KUTRACE_BUILT=1 $(RUN) $(KERNELS) $(TESTS_CHECK_CI)

# Fuzzing comes first, so that the results of the tests are the last line. Fuzzing that finds an
# error ends this target.
check-full: check-build guest-qemu
	$(CHECKMAKE) fuzz
	@BUILD=$(BUILD) KUTRACE_BUILT=1 KUTRACE_FULL=1 $(RUN) $(KERNELS) \
		$(sort $(TESTS_FAST) $(TESTS))

# Tests all supported kernels, each as a separate test. docs/results/kernels.md must have the same
# results. KERNELS_RUN and KERNELS_CPUS select kernels and numbers of CPUs; KERNELS_SHORT=1 runs only
# the demo. KERNELS_TESTS lists additional guest tests, as KERNEL:NAME: most are tests for arm64 and
# riscv64 that `make check` runs only on x86-64.
KERNELS_RUN ?= $(foreach series,6.1 6.12 7.2,stock-$(series) stock-$(series)-generic stock-$(series)-rt) \
	stock-6.12@trixie stock-6.1-arm64 stock-6.12-arm64 stock-7.2-arm64 stock-7.2-16k-arm64 \
	stock-6.12-riscv64 stock-7.2-riscv64 patched-6.1 patched-6.12 patched-7.2 \
	patched-6.12-arm64 patched-7.2-arm64
KERNELS_CPUS ?= 1 2 4
KERNELS_ARM64 := sessions switches triggers points points_bytes stream snapshot wrap ttrace unload hotplug crash \
	fault_end
# Crash dumps have not been tried on riscv64.
KERNELS_RISCV64 := $(filter-out crash,$(KERNELS_ARM64))
# Guest tests that the checks of the debug kernel work, and that these checks find no error.
KERNELS_DEBUG := debug_found debug_arm64
# Guest test with pages of 16 KiB: the file format must not depend on the page size.
KERNELS_16K := ttrace
KERNELS_TESTS ?= $(if $(KERNELS_SHORT),, \
	$(if $(filter stock-6.12-arm64,$(KERNELS_RUN)),$(KERNELS_ARM64:%=stock-6.12-arm64:%)) \
	$(if $(filter patched-6.12-arm64,$(KERNELS_RUN)),$(KERNELS_DEBUG:%=patched-6.12-arm64-debug:%)) \
	$(if $(filter stock-7.2-16k-arm64,$(KERNELS_RUN)),$(KERNELS_16K:%=stock-7.2-16k-arm64:%)) \
	$(if $(filter stock-6.12-riscv64,$(KERNELS_RUN)),$(KERNELS_RISCV64:%=stock-6.12-riscv64:%)))

check-kernels:
	@tests/deps.sh tools module kernel guest
	$(CHECKMAKE) guest-programs $(BUILD)/tests/conserve
	@rm -rf $(BUILD)/kernels
	@mkdir -p $(BUILD)/kernels
	@for name in $(KERNELS_RUN); do \
		printf '#!/bin/sh\n# timeout: 7200\n# takes: 300\nexec tests/guest/kernels.sh %s $(KERNELS_CPUS)\n' \
			"$$name" >$(BUILD)/kernels/$$name.sh && chmod 755 $(BUILD)/kernels/$$name.sh || exit 1; \
	done
	@for test in $(KERNELS_TESTS); do \
		script=$(BUILD)/kernels/$${test%%:*}-$${test#*:}.sh; \
		printf '#!/bin/sh\n# timeout: 3600\n# takes: 120\nKERNEL=%s exec tests/guest/test_%s.sh\n' \
			"$${test%%:*}" "$${test#*:}" >$$script && chmod 755 $$script || exit 1; \
	done
	@BUILD=$(BUILD) $(RUN) $(KERNELS_RUN:%=$(BUILD)/kernels/%.sh) \
		$(foreach test,$(KERNELS_TESTS),$(BUILD)/kernels/$(subst :,-,$(test)).sh); status=$$?; echo; \
		BUILD=$(BUILD) tests/guest/kernels_table.sh; \
		BUILD=$(BUILD) tests/guest/kernels_table.sh --same || status=1; exit $$status

# Writes docs/results/kernels.md from the results of the last check-kernels, then the tables of docs/reference/kernels.md.
docs-kernels:
	@BUILD=$(BUILD) tests/guest/kernels_table.sh --doc >$(BUILD)/kernels/new.md
	@mv $(BUILD)/kernels/new.md docs/results/kernels.md
	@tests/guest/kernels_table.sh --families >$(BUILD)/kernels/new.md
	@mv $(BUILD)/kernels/new.md docs/reference/kernels.md

check-build:
	@tests/deps.sh all $(if $(filter check-ci check-full,$(MAKECMDGOALS)),ci)
	$(CHECKMAKE) tools template test-helpers unit-san guest-payload \
		$(sort $(call TEST_PROGS,$(TESTS_FAST) $(TESTS)))

# --- the content of guests ---------------------------------------------------

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

# Builds the program that prints the event numbers for the shell, awk and Perl of guest tests.
$(BUILD)/gen/gen_test_events: tests/guest/gen_events.c $(wildcard module/uapi/*)
	@mkdir -p $(@D)
	$(CC) -Imodule/uapi $(WARN) -O1 $< -o $@

$(BUILD)/gen/events: $(BUILD)/gen/gen_test_events
	$< >$@.new
	@mv $@.new $@

# Builds the programs that guests of all kernels contain.
guest-programs: tools $(BUILD)/gen/events $(GUEST_PROGS) $(GUEST_BIN)/ioctl32 $(BUILD)/bin/static/kutrace_control

# Builds a 32-bit program for x86. It uses only headers of the kernel, so it needs no 32-bit C library.
$(GUEST_BIN)/ioctl32: tests/guest/prog32/ioctl32.c $(wildcard module/uapi/*)
	@mkdir -p $(@D)
	$(CC) -m32 -O2 -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -ffreestanding \
		-nostdlib -static -fno-pie -no-pie -fno-stack-protector -D__KERNEL__ \
		-isystem /usr/include/$(shell $(CC) -print-multiarch) -Imodule/uapi $< -o $@

# Builds the same programs for another architecture, except the filters, which run on this machine,
# and programs with x86 instructions. tests/deps.sh arm64 or riscv64 installs the cross compiler.
GUEST_X86 := call ctlfuzz hookfire numbers odd_calls sleep_in_calls step_cost
guest-cross: $(filter-out $(GUEST_X86:%=$(GUEST_BIN)/%),$(GUEST_PROGS)) $(BUILD)/bin/static/kutrace_control \
	$(BUILD)/lib/libkutrace.so

# Builds the 32-bit programs for the compat mode of arm64.
ARM32 := $(patsubst tests/guest/prog32/%.S,%,$(wildcard tests/guest/prog32/*.S))
$(ARM32:%=$(GUEST_BIN)/%): $(GUEST_BIN)/%: tests/guest/prog32/%.S
	@mkdir -p $(@D)
	$(CC) -E -Imodule/uapi $< -o $@.s
	arm-linux-gnueabihf-as $@.s -o $@.o
	arm-linux-gnueabihf-ld -static $@.o -o $@
	@rm -f $@.s $@.o

guest-arm64:
	+@$(MAKE) --no-print-directory $(JOBS) BUILD=$(BUILD)/arm64 CROSS=aarch64-linux-gnu- NEEDS= \
		CC='$(if $(filter %ccache,$(firstword $(CC))),ccache )aarch64-linux-gnu-gcc' \
		guest-cross $(ARM32:%=$(BUILD)/arm64/guest/bin/%)

# Builds no 32-bit programs, because Debian's kernels for riscv64 have no CONFIG_COMPAT.
guest-riscv64:
	+@$(MAKE) --no-print-directory $(JOBS) BUILD=$(BUILD)/riscv64 CROSS=riscv64-linux-gnu- NEEDS= \
		CC='$(if $(filter %ccache,$(firstword $(CC))),ccache )riscv64-linux-gnu-gcc' guest-cross

# Builds the content of guests: the stock kernel, the module for this kernel, and the tools.
guest-payload: guest-programs
	+@KU_MAKE='$(MAKE)' BUILD=$(BUILD) tests/guest/payload.sh

# Fetches a QEMU with one thread per CPU into the cache. All guests use this QEMU from then on.
guest-qemu:
	@tests/guest/qemu.sh --fetch
	@! command -v qemu-system-aarch64 >/dev/null || tests/guest/qemu.sh --fetch arm64
	@! command -v qemu-system-riscv64 >/dev/null || tests/guest/qemu.sh --fetch riscv64

# --- demo, a place to play, benchmarks --------------------------------------

demo:
	+@KU_MAKE='$(MAKE) $(JOBS)' BUILD=$(BUILD) tests/demo/demo.sh

# Boots a kernel with the module loaded, and gives a shell in it. The head of tests/guest/play.sh lists the
# variables. In CMD, make replaces no $.
.PHONY: guest
guest: export KU_CMD := $(value CMD)
guest:
	@tests/deps.sh tools module play page $(filter arm64 riscv64,$(ARCH))
	+@$(MAKE) -s --no-print-directory $(JOBS) tools template guest-programs
	+@KU_MAKE='$(MAKE) $(JOBS)' BUILD=$(BUILD) tests/guest/play.sh $(if $(FRESH),--fresh) -- "$$KU_CMD"

bench:
	@tests/deps.sh tools module kernel guest page browser test
	$(SUBMAKE) tools guest-payload
	$(SUBMAKE) bench-progs
	@BUILD=$(BUILD) tests/bench/run

# Native benchmarks. Other rules.mk files add programs in $(BUILD)/bench/bin to BENCH_PROGS.
.PHONY: bench-progs
bench-progs: $$(BENCH_PROGS)

# --- install ----------------------------------------------------------------
# Installs the programs and all man pages. The INSTALL_STEPS of other rules.mk files install the
# library, the headers and the page. Root runs this target, so it builds nothing and reports missing
# files.

.PHONY: built built-libs
built-libs: BUILT = $(LIBS)
built: BUILT = $(TOOLS) $(LIBS) $(TEMPLATE)
built built-libs:
	@for file in $(BUILT); do \
		test -f $$file || { echo "make install: $$file is not built:" \
			"make first, not as root" >&2; exit 1; }; \
	done

install: built $$(INSTALL_STEPS)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(TOOLDIR)
	install -m 755 $(sort $(filter $(BUILD)/bin/kutrace%,$(TOOLS))) $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(sort $(filter-out $(BUILD)/bin/kutrace%,$(TOOLS))) $(DESTDIR)$(TOOLDIR)
	@control/dist/install_man.sh $(DESTDIR)$(MANDIR) $(MANSUFFIX)
	@$(if $(DESTDIR),:,control/dist/find_library.sh $(LIBDIR))

# Removes the installed files, but no folders, because other packages may have files there. If the
# installation set PREFIX, LIBDIR, INCLUDEDIR, MANDIR or DESTDIR, set the same values.
.PHONY: uninstall uninstall-list
uninstall-list: install
uninstall:
	@work=$$(mktemp -d) && trap 'rm -rf "$$work"' EXIT && \
	$(MAKE) --no-print-directory uninstall-list DESTDIR="$$work" PREFIX="$(PREFIX)" LIBDIR="$(LIBDIR)" \
		INCLUDEDIR="$(INCLUDEDIR)" MANDIR="$(MANDIR)" UNITDIR="$(UNITDIR)" ZSHDIR="$(ZSHDIR)" >"$$work.log" 2>&1 || { cat "$$work.log" >&2; exit 1; }; \
	rm -f "$$work.log"; \
	(cd "$$work" && find . ! -type d) | while IFS= read -r file; do \
		rm -f -- "$(DESTDIR)/$${file#./}" || exit 1; \
	done
	@$(if $(DESTDIR),:,control/dist/find_library.sh --removed $(LIBDIR))
