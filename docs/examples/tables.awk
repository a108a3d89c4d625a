# SPDX-License-Identifier: BSD-3-Clause
#
# From docs/reference/tables.md the statements with which an engine finds the tables of a collection that `rawtoparquet --into`
# made. Files stay where they are.
#
#	awk -v engine=trino -v at=s3://bucket/traces -f docs/examples/tables.awk docs/reference/tables.md
#
# engine: duckdb, clickhouse (at: a folder), clickhouse-s3 (at: https://...), spark, trino.

function type_of(type)
{
	if (type ~ /^text/) return engine == "trino" ? "varchar" : "string"
	return "bigint"
}

function put_columns(quote, text,  i)
{
	printf "%strace_id%s %s", quote, quote, text
	for (i = 1; i <= columns; i++) printf ", %s%s%s %s", quote, column[i], quote, type[i]
	printf ", %sdate%s %s, %shost%s %s", quote, quote, text, quote, quote, text
}

function put(  files)
{
	if (!table) return
	files = at "/" table "/*/*/*.parquet"
	if (engine == "duckdb") {
		printf "create view %s as select * from read_parquet('%s', hive_partitioning = true);\n", table, files
	} else if (engine == "clickhouse") {
		printf "create view `%s` as select * from file('%s', Parquet);\n", table, files
	} else if (engine == "clickhouse-s3") {
		printf "create view `%s` as select * from s3('%s', Parquet);\n", table, files
	} else if (engine == "spark") {
		printf "create table `%s` (", table
		put_columns("`", "string")
		printf ") using parquet partitioned by (`date`, `host`) location '%s/%s';\nmsck repair table `%s`;\n", at, table, table
	} else if (engine == "trino") {
		printf "create table \"%s\" (", table
		put_columns("\"", "varchar")
		printf ") with (external_location = '%s/%s', format = 'PARQUET', partitioned_by = array['date', 'host']);\n", at, table
		printf "call system.sync_partition_metadata(schema_name => '%s', table_name => '%s', mode => 'FULL');\n", \
			schema ? schema : "default", table
	} else {
		print "tables.awk: engine: duckdb, clickhouse, clickhouse-s3, spark or trino" >"/dev/stderr"
		failed = 1
		exit 1
	}
}

/^## Views/ { exit }
/^## / { put(); table = $2; columns = 0 }
/^\| [a-z_0-9]+ \| (text|integer|time)/ { column[++columns] = $2; type[columns] = type_of($4) }
END { if (!failed) put() }
