# SPDX-License-Identifier: BSD-3-Clause
#
# Generated files are kept in the tree: docs/reference/events.md and templates/js/base/events.ts are made from the
# event table, docs/reference/tables.md from the list of tables, and templates/js/base/caveats.ts and a part of two
# documents from the list of caveats. test_events_doc.sh and test_caveats_doc.sh in tests/golden, and tests/cli/sql.sh, fail if they are out of
# date.

.PHONY: docs

$(BUILD)/gen/gen_events: docs/gen_events.c module/uapi/kutrace_events.def
	@mkdir -p $(@D)
	$(CC) -Imodule/uapi $(WARN) -O1 $< -o $@

$(BUILD)/gen/gen_tables: docs/gen_tables.c postprocess/export/schema.def
	@mkdir -p $(@D)
	$(CC) -Ipostprocess $(WARN) -O1 $< -o $@

$(BUILD)/gen/gen_page_events: templates/gen_events.c module/uapi/kutrace_events.def
	@mkdir -p $(@D)
	$(CC) -Imodule/uapi $(WARN) -O1 $< -o $@

$(BUILD)/gen/gen_caveats: docs/gen_caveats.c docs/caveats.def module/uapi/kutrace_abi.h
	@mkdir -p $(@D)
	$(CC) -Idocs -Imodule/uapi $(WARN) -O1 $< -o $@

# $(call put_caveats,WHAT,FILE,END): replaces the lines before END, and after the line that names caveats.def.
put_caveats = $(BUILD)/gen/gen_caveats $(1) | awk 'FNR == NR { new = new $$0 "\n"; next } /$(3)/ { inside = 0 } \
	!inside { print } /caveats.def/ { printf "%s", new; inside = 1 }' - $(2) >$(2).new && mv $(2).new $(2)

docs: $(BUILD)/gen/gen_caveats $(BUILD)/gen/gen_events $(BUILD)/gen/gen_page_events $(BUILD)/gen/gen_tables
	$(BUILD)/gen/gen_events > docs/reference/events.md
	$(BUILD)/gen/gen_page_events > templates/js/base/events.ts
	$(BUILD)/gen/gen_tables > docs/reference/tables.md
	$(BUILD)/gen/gen_caveats page > templates/js/base/caveats.ts
	$(call put_caveats,man,docs/reference/man/kutrace-trace.5,end of caveats)
	$(call put_caveats,kernels,docs/reference/kernels.md,end of meanings)
