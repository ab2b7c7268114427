// Writes the documents that are made from the code, or checks that they agree with it: `--write`, `--check`.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { configReferencePage } from '../../dist/lib/config/reference-page.js';

const root = new URL('../../', import.meta.url);
const isCheck = process.argv.includes('--check');
const reference = new URL('infra/configuration/reference.md', root);

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

if (!isCheck) writeFileSync(reference, configReferencePage());
else if (readFileSync(reference, 'utf8') !== configReferencePage()) {
  console.error('infra/configuration/reference.md differs from the settings: run npm run generate');
  process.exitCode = 1;
}
