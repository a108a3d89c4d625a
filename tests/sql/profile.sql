-- SPDX-License-Identifier: BSD-3-Clause
-- Prints from the tables the same lines that profile.awk prints from spantoprof's report, for
-- tests/cli/sql.sh.
select 'cpu ' || tid || ' ' || on_cpu_ns from thread where slices > 0;
select 'idle ' || sum(idle_ns) from cpu;
select 'leaving_idle ' || sum(leaving_idle_ns) from cpu;
select 'call ' || tid || ' ' || name || ' ' || count(*) || ' ' || sum(case when cut_start + cut_end + inferred > 0 then 1 else 0 end) || ' ' || sum(elapsed_ns) || ' ' || sum(on_cpu_ns) from call group by tid, name;
select 'wait ' || tid || ' ' || coalesce(reason, 'cpu') || ' ' || count(*) || ' ' || sum(dur_ns) from thread_state where state <> 'running' group by tid, coalesce(reason, 'cpu');
