// SPDX-License-Identifier: BSD-3-Clause
/**
 * Runs queries in DuckDB: a line NUMBER<tab>QUERY on standard input gives "= NUMBER" and the rows in the form of
 * `sqlite3 -list`.
 *
 *	NODE_MODULES=DIR node duckdb.mjs VIEWS.sql FOLDER... <questions
 *
 * Each table consists of the files of that name in all folders.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';

const { DuckDBInstance } = createRequire(`${process.env.NODE_MODULES}/x`)('@duckdb/node-api');
const [views, ...folders] = process.argv.slice(2);
const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const db = await instance.connect();
for (const file of readdirSync(folders[0])) {
	if (!file.endsWith('.parquet')) continue;
	const files = folders.map((folder) => `'${folder}/${file}'`).join(', ');
	await db.run(`create view ${file.replace('.parquet', '')} as select * from read_parquet([${files}])`);
}
for (const view of readFileSync(views, 'utf8').split('\n')) if (view) await db.run(view);

/** @param {unknown} value a whole number is printed without a fraction, even if it is a double */
const text = (value) => (value === null ? '' : String(value));

for (const line of readFileSync(0, 'utf8').split('\n')) {
	const [number, query] = line.split('\t');
	if (!query) continue;
	console.log(`= ${number}`);
	const rows = (await db.runAndReadAll(query)).getRowsJson();
	for (const row of rows) console.log(row.map(text).join('|'));
}
