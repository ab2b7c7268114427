import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import { routes } from '../../../handlers/routes.ts';
import { jsonSchemaDocument } from '../../../lib/contract/document/json-schema.ts';
import { buildOpenApiDocument } from '../../server/openapi/build-document.ts';
import { packageVersion } from '../../server/package-version.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';

const DOCUMENTS = {
  openapi: () => toYaml(buildOpenApiDocument(routes, packageVersion())),
  json: () => `${JSON.stringify(jsonSchemaDocument(), null, 2)}\n`,
};

interface SchemaOptions {
  readonly kind: keyof typeof DOCUMENTS;
  readonly check: string | undefined;
  readonly write: string | undefined;
}

/** Runs `image-bridge schema`. Resolves with the exit code. */
export async function runSchema({ options, io }: Call<unknown, SchemaOptions>): Promise<number> {
  const text = DOCUMENTS[options.kind]();
  if (options.write !== undefined) return write(resolve(io.cwd, options.write), text, io);
  if (options.check !== undefined) return check(resolve(io.cwd, options.check), text, io);
  io.stdout(text);
  return 0;
}

async function check(file: string, text: string, io: CommandIo): Promise<number> {
  const found = await readFile(file, 'utf8').catch(() => undefined);
  if (found === text) return 0;
  io.stderr(
    found === undefined
      ? `${file} cannot be read\n`
      : `${file} differs from the schemas: write it again with --write\n`,
  );
  return 1;
}

async function write(file: string, text: string, io: CommandIo): Promise<number> {
  try {
    await writeFile(file, text);
    return 0;
  } catch {
    io.stderr(`${file} cannot be written\n`);
    return 1;
  }
}

function toYaml(document: object): string {
  // Without folding and anchors, a changed sentence changes only one line.
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
