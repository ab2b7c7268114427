/** Writes the API documents that the program serves and prints to `dist/documents`. Runs as a part of the build. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { routes } from '../../../handlers/routes.ts';
import { buildOpenApiDocument } from './build-document.ts';
import { jsonSchemaDocument } from './json-schema.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const openapi = buildOpenApiDocument(routes, version);

const DOCUMENTS = {
  'openapi.json': JSON.stringify(openapi),
  // Without folding and anchors, a changed sentence changes only one line.
  'openapi.yaml': stringify(openapi, { lineWidth: 0, aliasDuplicateObjects: false }),
  'image-request.schema.json': `${JSON.stringify(jsonSchemaDocument(), null, 2)}\n`,
};

mkdirSync('dist/documents', { recursive: true });
for (const [name, text] of Object.entries(DOCUMENTS)) writeFileSync(`dist/documents/${name}`, text);
