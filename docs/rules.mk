# SPDX-License-Identifier: BSD-3-Clause
#
# Three generated files are kept in the tree: docs/reference/events.md and templates/js/base/events.js are made from
# the event table, docs/reference/tables.md from the list of tables. tests/golden/test_events_doc.sh and
# tests/cli/sql.sh fail if they are out of date.

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

docs: $(BUILD)/gen/gen_events $(BUILD)/gen/gen_page_events $(BUILD)/gen/gen_tables
	$(BUILD)/gen/gen_events > docs/reference/events.md
	$(BUILD)/gen/gen_page_events > templates/js/base/events.js
	$(BUILD)/gen/gen_tables > docs/reference/tables.md
