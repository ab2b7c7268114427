// Writes the documents that are generated from the code. With `--check`, checks that the documents match the code.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { functionTemplate } from '../../dist/infra/generators/function-platform.js';
import { settingsPage } from '../../dist/infra/generators/settings-page.js';

const root = new URL('../../', import.meta.url);
const isCheck = process.argv.includes('--check');
// The build writes the document that the program serves.
const openapi = read('dist/documents/openapi.yaml');

writeOrCheck('openapi.yaml', openapi, 'the routes and their schemas');
writeOrCheck('docs/configure.md', settingsPage(), 'the settings');
writeOrCheck(
  'infra/function-platform/template.yaml',
  functionTemplate(read('infra/function-platform/base.yaml')),
  'the routes',
);
// The types of the dashboard's requests and replies.
writeOrCheck('dashboard/src/api/schema.d.ts', await clientTypes(), 'openapi.yaml');

async function clientTypes() {
  return `// Written by npm run generate.\n${astToString(await openapiTS(openapi))}`;
}

function read(name) {
  return readFileSync(new URL(name, root), 'utf8');
}

function writeOrCheck(name, text, source) {
  const file = new URL(name, root);
  if (!isCheck) return writeFileSync(file, text);
  if (existsSync(file) && read(name) === text) return;
  console.error(`${fileURLToPath(file)} differs from ${source}: run npm run generate`);
  process.exitCode = 1;
}
