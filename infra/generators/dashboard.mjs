// Builds the page of dashboard/ into dist/dashboard and compresses each text file. The service sends the files unchanged.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { build } from 'vite';

const dir = 'dist/dashboard';

/** Files that compression makes smaller. */
const TEXT = /\.(html|js|css|svg)$/;

// The page is the same whoever builds it: Vite keeps checks for developers in the page if NODE_ENV is `test`, as under a test runner.
process.env.NODE_ENV = 'production';
await build({ configFile: 'dashboard/vite.config.ts', configLoader: 'native', logLevel: 'warn' });
const entries = await readdir(dir, { recursive: true, withFileTypes: true });
const files = entries.filter((it) => it.isFile()).map((it) => join(it.parentPath, it.name));
await Promise.all(files.filter((file) => TEXT.test(file)).map(compress));

async function compress(file) {
  const bytes = await readFile(file);
  const quality = { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: quality }),
    promisify(gzip)(bytes, { level: zlib.Z_BEST_COMPRESSION }),
  ]);
  await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipped)]);
}
