// Writes the documents that are made from the code, or checks that they agree with it: `--write`, `--check`.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { configReferencePage } from '../../dist/lib/config/reference-page.js';

const root = new URL('../../', import.meta.url);
const isCheck = process.argv.includes('--check');
const reference = new URL('docs/configure.md', root);

const schema = spawnSync(
  process.execPath,
  [
    'dist/bundle/main.js',
    'schema',
    '--kind',
    'openapi',
    isCheck ? '--check' : '--write',
    'openapi.yaml',
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = schema.status ?? 1;

// The types of the dashboard's requests and replies.
const clientTypes = new URL('dashboard/src/api/schema.d.ts', root);
writeOrCheck(reference, configReferencePage(), 'the settings');
writeOrCheck(clientTypes, await clientTypesOf(new URL('openapi.yaml', root)), 'openapi.yaml');

async function clientTypesOf(document) {
  return `// Written by npm run generate.\n${astToString(await openapiTS(document))}`;
}

function writeOrCheck(file, text, source) {
  if (!isCheck) return writeFileSync(file, text);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  console.error(`${fileURLToPath(file)} differs from ${source}: run npm run generate`);
  process.exitCode = 1;
}
