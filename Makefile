# SPDX-License-Identifier: BSD-3-Clause
#
# KUtrace: user-space tools, kernel module, demo, tests, benchmarks. The rules.mk of each directory
# lists the files that are built there. This file has the common rules and the targets that people
# type. `make help` lists them.

VERSION := 0.1.0
BUILD ?= build
# The lower-case names of GNU work too: prefix, libdir, includedir, mandir.
define GNU_NAME
ifeq ($$(origin $(1)),command line)
$(2) := $$($(1))
endif
endef
$(eval $(call GNU_NAME,prefix,PREFIX))
$(eval $(call GNU_NAME,libdir,LIBDIR))
$(eval $(call GNU_NAME,includedir,INCLUDEDIR))
$(eval $(call GNU_NAME,mandir,MANDIR))
PREFIX ?= /usr/local
DESTDIR ?=

# Makes a relative folder absolute: below DESTDIR if that is set, otherwise below the current folder.
ABSOLUTE = $(if $(filter-out /%,$(firstword $(1))),$(if $(DESTDIR),/$(1),$(abspath $(1))),$(1))
# Replaces an empty folder with the default $(2), so that no file goes to the root of the system.
define FOLDER
override $(1) := $$(call ABSOLUTE,$$(or $$($(1)),$(2)))
endef
$(eval $(call FOLDER,PREFIX))
$(eval $(call FOLDER,LIBDIR,$(PREFIX)/lib))
$(eval $(call FOLDER,INCLUDEDIR,$(PREFIX)/include))
$(eval $(call FOLDER,MANDIR,$(PREFIX)/share/man))

# Programs whose names begin with kutrace are in PREFIX/bin. The other names could belong to other packages, as makeself does in
# Debian. Therefore these programs have a folder of their own below /usr, and their manual pages the section 1kutrace.
TOOLDIR := $(PREFIX)/$(if $(filter /usr,$(abspath $(PREFIX))),lib/kutrace/bin,bin)
MANSUFFIX := $(if $(filter $(PREFIX)/bin,$(TOOLDIR)),,kutrace)

# These folders must stay below PREFIX, because a program finds its page in ../share/kutrace or ../../../share/kutrace.
# Another spelling of the same folder is allowed.
define GNU_FIXED
ifeq ($$(origin $(1)),command line)
ifneq ($$(abspath $$(call ABSOLUTE,$$($(1)))),$$(abspath $(2)))
$$(error make $(firstword $(filter install install-% uninstall,$(MAKECMDGOALS))): cannot take $(1)=$$($(1)): \
the programs look for the page in ../share/kutrace; try PREFIX=, LIBDIR=, INCLUDEDIR= and MANDIR=)
endif
endif
endef
ifneq ($(filter install install-% uninstall,$(MAKECMDGOALS)),)
$(eval $(call GNU_FIXED,exec_prefix,$(PREFIX)))
$(eval $(call GNU_FIXED,bindir,$(PREFIX)/bin))
$(eval $(call GNU_FIXED,datarootdir,$(PREFIX)/share))
$(eval $(call GNU_FIXED,datadir,$(PREFIX)/share))
endif

# Builds the tools for another architecture: make CROSS=aarch64-linux-gnu- BUILD=build/arm64 tools
ifneq ($(CROSS),)
CC := $(CROSS)gcc
CXX := $(CROSS)g++
AR := $(CROSS)ar
else
CC ?= gcc
CXX ?= g++
AR ?= ar
endif
PKG_CONFIG ?= $(CROSS)pkg-config
CFLAGS ?= -O2 -g
CPPFLAGS += -D_GNU_SOURCE -DKUTRACE_VERSION='"$(VERSION)"' \
	-Imodule/uapi -Imodule -Icontrol -Icontrol/include -Ipostprocess -I$(BUILD)/gen
WARN := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wvla \
	-Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith
ALL_CFLAGS = -std=gnu11 $(WARN) $(CFLAGS) -fno-strict-aliasing -fPIC -fno-semantic-interposition
ALL_CXXFLAGS = -std=c++17 -Wall -Wextra $(CFLAGS) -fPIC -fno-semantic-interposition

# With another C library than the system's, such as musl, the compiler does not find the kernel's headers.
ifneq ($(filter static,$(MAKECMDGOALS)),)
CPPFLAGS += $(shell printf '\043include <linux/types.h>\n' | $(CC) -E - >/dev/null 2>&1 || \
	echo -idirafter /usr/include -idirafter /usr/include/$$($(CC) -print-multiarch))
endif

# Lists that the rules.mk files fill.
TOOLS :=	# programs that `make` builds and `make install` installs
STATIC_TOOLS :=	# programs that `make static` builds: they need no library at run time, not even a C library
LIBS :=		# libraries that `make` builds and installs
TESTS :=	# programs that `make check` runs, and that print TAP
TESTS_FAST :=	# the part of TESTS without kernels and browsers
INSTALL_STEPS :=# targets that `make install` also runs
LEFT_OUT :=	# parts that `make tools` leaves out because a library is missing: "WHAT (LIBRARY)"

# Looks for an optional library. $(eval $(call OPTIONAL,VARIABLE,LIBRARY,HEADER,WHAT[,COMMAND])) sets VARIABLE to yes if the
# compiler finds HEADER, pkg-config (if installed) finds LIBRARY, and COMMAND exists. Otherwise the part WHAT is not built, and
# the last line of `make tools` names it.
define OPTIONAL
$(1) := $$(shell $(if $(5),command -v $(5) >/dev/null || exit 0;) ! command -v $(PKG_CONFIG) >/dev/null 2>&1 || $(PKG_CONFIG) --exists $(2) || exit 0; \
	printf '\043include <$(3)>\n' | $(CC) -E - >/dev/null 2>&1 && echo yes)
LEFT_OUT := $$(if $$($(1)),$$(LEFT_OUT),$$(if $$(LEFT_OUT),$$(LEFT_OUT); )$(4) ($(2)))
endef
$(eval $(call OPTIONAL,HAVE_DEFLATE,libdeflate,libdeflate.h,faster packing of pages))
$(eval $(call OPTIONAL,HAVE_DW,libdw,elfutils/libdwfl.h,samptoname))
$(eval $(call OPTIONAL,HAVE_SQLITE,sqlite3,sqlite3.h,rawtosqlite))
$(eval $(call OPTIONAL,HAVE_ZSTD,libzstd,zstd.h,rawtoparquet and dumps packed by zstd))
$(eval $(call OPTIONAL,HAVE_BABELTRACE,babeltrace2,babeltrace2/babeltrace.h,ctftoevent))
$(eval $(call OPTIONAL,HAVE_PROTOBUF,libprotobuf-c,protobuf-c/protobuf-c.h,perfettotoevent,protoc-c))

all: tools template

include module/rules.mk
include kernel-patches/rules.mk
include control/rules.mk
include control/dist/rules.mk
include postprocess/rules.mk
include templates/rules.mk
include tests/rules.mk
include docs/rules.mk

.PHONY: all tools static help clean clean-cache install demo check check-fast bench
.DELETE_ON_ERROR:
.SECONDARY:

tools: $(TOOLS) $(LIBS)
	@$(if $(LEFT_OUT),echo 'make: left out: $(LEFT_OUT). Packages: control/dist/needs.sh optional',:)

static: $(STATIC_TOOLS)

help:
	@echo 'make                 build tools, library and page into $(BUILD)/; the page needs esbuild'
	@echo 'make tools           build everything except the page'
	@echo 'make static          build the tools that record and read traces without shared libraries, for a rescue system;'
	@echo '                     with musl: make BUILD=build/musl CC=musl-gcc static'
	@echo 'make CROSS=          build for another architecture, with its compiler:'
	@echo '                     make BUILD=build/arm64 CROSS=aarch64-linux-gnu- static'
	@echo 'make demo            trace a stock Debian kernel in QEMU, and make a page of the trace;'
	@echo '                     KERNEL=stock-6.12, stock-7.2, stock-7.2-rt ...: another kernel;'
	@echo '                     ARCH=arm64, ARCH=riscv64: a kernel for that architecture, in an emulated machine'
	@echo 'make guest           get a shell in a Debian kernel in QEMU with the module loaded; its /share is $(BUILD)/guest/share;'
	@echo '                     KERNEL= and ARCH= as above; CPUS=, MEMORY=MIB, SHARE=DIR; ROOT=debian: a small Debian'
	@echo "                     with apt; FRESH=1: without the changes of earlier guests; CMD='ls -l': record a command"
	@echo 'make check           run the tests, also with kernels and a browser; long tests use a sample of their inputs'
	@echo 'make check-fast      run the tests that need neither kernels nor a browser; takes a minute when built'
	@echo 'make check-ci        run the tests of continuous integration: with all inputs, and with debug kernels'
	@echo 'make check-full      run all tests, also long fuzzing, each patch and all kernels; takes hours'
	@echo 'make check-packages  test the packages and the demo in minimal root folders of Debian 12 and 13; as root'
	@echo 'make check-system    test the packages on a complete Debian 13 in QEMU: users, services, a reboot; needs root'
	@echo 'make check-kernels   test each stock kernel of Debian with 1, 2 and 4 CPUs, and print a table'
	@echo 'make stress          run random kernels, CPUs, workloads and commands in guests for STRESS_MINUTES=10'
	@echo 'make stress-ring     test the ring alone: 10^9 events with interrupts, 10^8 while a reader runs'
	@echo 'make guest-qemu      fetch a newer QEMU for the guests, if this machine'\''s QEMU is older than 8.1'
	@echo 'make bench           run all benchmarks; the figures go to $(BUILD)/bench/'
	@echo 'make module KDIR=    build kutrace.ko for the kernel with this build folder (default: the running kernel)'
	@echo 'make load, unload    load the module that was built (MODULE_ARGS="mb=64"), or unload it'
	@echo 'make template        build the page that makeself fills; needs esbuild'
	@echo 'make docs            make docs/reference/events.md and docs/reference/tables.md from their sources'
	@echo 'make install         install what is built; PREFIX=$(PREFIX) DESTDIR= LIBDIR= INCLUDEDIR= MANDIR='
	@echo 'make uninstall       remove what was installed; needs the same variables and the files in $(BUILD)/'
	@echo 'make dist            make a source archive that can be built without git and esbuild'
	@echo 'make deb             make packages for this Debian release'
	@echo 'make clean           remove $(BUILD)/'
	@echo 'make clean-cache     remove ~/.cache/kutrace, which all checkouts share: kernels, modules, compiled files,'
	@echo '                     npm packages of tests, results of tests; prints its size. Do not run it during tests'

# Reports everything that the machine lacks, before anything is compiled.
NEEDS := $(BUILD)/needs$(if $(filter-out static,$(or $(MAKECMDGOALS),all)),,-static)$(if $(filter all template,$(or $(MAKECMDGOALS),all)),$(if $(PAGE_BUILT),,-page))
$(NEEDS): control/dist/needs.sh
	@mkdir -p $(@D)
	@CC='$(CC)' CPPFLAGS='$(filter-out -I%,$(CPPFLAGS))' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' \
		ESBUILD='$(ESBUILD)' control/dist/needs.sh $(if $(filter %-page,$@),page,$(if $(filter %-static,$@),static))
	@touch $@

# Each folder of objects is made once, instead of before each object.
$(BUILD)/obj/%/.dir:
	@mkdir -p $(@D)
	@touch $@

$(BUILD)/obj/%.o: %.c | $(NEEDS) $$(@D)/.dir
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/obj/%.o: %.cc | $(NEEDS) $$(@D)/.dir
	$(CXX) $(CPPFLAGS) $(ALL_CXXFLAGS) -MMD -MP -c $< -o $@

clean:
	rm -rf $(BUILD)

clean-cache:
	@tests/cache.sh --clean

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
