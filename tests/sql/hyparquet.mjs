// SPDX-License-Identifier: BSD-3-Clause
/**
 * Prints all rows of all Parquet files of a folder as hyparquet reads them, which shares no code with DuckDB:
 * TABLE|VALUE|..., with values in the form of `sqlite3 -list`.
 *
 *	NODE_MODULES=DIR node hyparquet.mjs FOLDER
 */
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** @param {string} file */
const load = (file) => import(pathToFileURL(`${process.env.NODE_MODULES}/${file}`).href);
const { parquetMetadata, parquetReadObjects, parquetSchema } = await load('hyparquet/src/index.js');
const { compressors } = await load('hyparquet-compressors/src/index.js');
const folder = process.argv[2];
/** @param {unknown} value */
const text = (value) => (value === null || value === undefined ? '' : String(value));

for (const name of readdirSync(folder)) {
	if (!name.endsWith('.parquet')) continue;
	const bytes = readFileSync(`${folder}/${name}`);
	const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
	const columns = parquetSchema(parquetMetadata(file)).children.map((/** @type {any} */ child) => child.element.name);
	for (const row of await parquetReadObjects({ file, compressors }))
		console.log([name.replace('.parquet', ''), ...columns.map((/** @type {string} */ column) => text(row[column]))].join('|'));
}
