# SPDX-License-Identifier: BSD-3-Clause
#
# Builds the page, which needs esbuild. `make`, `make demo` and `make check` build it, `make tools`
# does not. `make template` builds only the page. Only the tests of the page need Node and npm.

TEMPLATE := $(BUILD)/templates/show_cpu.html
ESBUILD ?= esbuild
TEMPLATE_SRCS := $(wildcard templates/js/*/*.ts) templates/css/page.css templates/show_cpu.html \
	templates/build.sh templates/tsconfig.json Makefile

.PHONY: template template-check install-template

template: $(TEMPLATE)

# A source tarball contains the built page (make dist), so building it needs no esbuild. After a change
# of the page's source in such a tree, remove templates/built.
PAGE_BUILT := $(wildcard templates/built/show_cpu.html)

ifneq ($(PAGE_BUILT),)
$(TEMPLATE): $(PAGE_BUILT)
	@mkdir -p $(@D)
	cp $< $@
else
$(TEMPLATE): $(TEMPLATE_SRCS) | $(NEEDS)
	@mkdir -p $(@D)
	ESBUILD='$(ESBUILD)' templates/build.sh $@
endif

# Checks the types of the page's source, which is TypeScript, and of its tests.
template-check:
	modules=$$(templates/modules.sh) && for part in templates tests/viewer; do \
		node $$modules/typescript/bin/tsc -p $$part --typeRoots $$modules/@types || exit 1; \
	done

# Makes the pictures in docs/img, from the trace of the demo's workload in tests/golden, and from the trace of a slow request, which the
# recorder service wrote in the machine of `make check-system`. Check the pictures before you commit them.
.PHONY: pictures
pictures: $(TEMPLATE)
	@tests/deps.sh page browser
	+@$(MAKE) --no-print-directory $(BUILD)/bin/rawtohtml $(BUILD)/bin/checktrace
	@mkdir -p $(BUILD)/pictures
	xz -dc tests/golden/stock.trace.xz >$(BUILD)/pictures/slow.trace
	$(BUILD)/bin/rawtohtml $(BUILD)/pictures/slow.trace --template $(TEMPLATE) --title 'KUtrace demo: a stock Debian kernel' \
		-o $(BUILD)/pictures/slow.html
	xz -dc tests/data/service.trace.xz >$(BUILD)/pictures/service.trace
	$(BUILD)/bin/rawtohtml $(BUILD)/pictures/service.trace --template $(TEMPLATE) --title 'a slow request' -o $(BUILD)/pictures/service.html
	BUILD=$(BUILD) NODE_MODULES=$$(templates/modules.sh) node tests/viewer/screenshots.mjs \
		$(BUILD)/pictures/slow.trace $(BUILD)/pictures/slow.html $(BUILD)/pictures/service.html docs/img

# Makes the picture of a boot, from the trace of tests/guest/test_boot.sh.
.PHONY: picture-boot
picture-boot: $(TEMPLATE) $(BUILD)/bin/rawtohtml
	@tests/deps.sh page browser
	$(BUILD)/bin/rawtohtml $(BUILD)/tests/guest/boot/b.trace --title 'A boot of Linux 6.1 with 2 CPUs' \
		-o $(BUILD)/boot.html
	NODE_MODULES=$$(templates/modules.sh) node tests/viewer/shot.mjs $(BUILD)/boot.html docs/img/boot.jpg

INSTALL_STEPS += install-template

install-template: built
	install -d $(DESTDIR)$(PREFIX)/share/kutrace
	install -m 644 $(TEMPLATE) $(DESTDIR)$(PREFIX)/share/kutrace/show_cpu.html

# Measures only the speed of the page, with 0.1, 1, 5 and 10 million spans. Takes about six minutes.
.PHONY: bench-viewer
bench-viewer: $(TEMPLATE) $(BUILD)/bin/makeself
	@tests/deps.sh page browser
	@mkdir -p $(BUILD)/bench
	BUILD=$(BUILD) NODE_MODULES=$$(templates/modules.sh) node tests/viewer/bench.mjs $(BUILD)/bench/viewer.json

# Measures the speed of the page in `make bench`.
BENCH_PROGS += $(BUILD)/bench/bin/viewer

$(BUILD)/bench/bin/viewer: tests/viewer/bench.sh $(TEMPLATE) $(BUILD)/bin/makeself
	@mkdir -p $(@D)
	cp $< $@
