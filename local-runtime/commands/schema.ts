import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { routes } from '../../handlers/routes.ts';
import { jsonSchemaDocument } from '../../lib/contract/document/json-schema.ts';
import type { CommandIo } from '../command-io.ts';
import { buildOpenApiDocument } from '../openapi/build-document.ts';
import { packageVersion } from '../package-version.ts';

const USAGE = 'usage: image-bridge schema --kind openapi|json [--check FILE | --write FILE]';

const DOCUMENTS = {
  openapi: () => toYaml(buildOpenApiDocument(routes, packageVersion())),
  json: () => `${JSON.stringify(jsonSchemaDocument(), null, 2)}\n`,
};

/**
 * `image-bridge schema …`, `argv` being what follows that word. Resolves to the exit code: 0, 1 when the checked file is
 * not what would be written, 2 for bad usage.
 */
export async function runSchemaCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const command = parseCommand(argv);
  if (!command) {
    io.stderr(`${USAGE}\n`);
    return 2;
  }
  const text = DOCUMENTS[command.kind]();
  if (command.write !== undefined) return write(resolve(io.cwd, command.write), text, io);
  if (command.check !== undefined) return check(resolve(io.cwd, command.check), text, io);
  io.stdout(text);
  return 0;
}

interface Command {
  readonly kind: keyof typeof DOCUMENTS;
  readonly check: string | undefined;
  readonly write: string | undefined;
}

function parseCommand(argv: readonly string[]): Command | undefined {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        kind: { type: 'string' },
        check: { type: 'string' },
        write: { type: 'string' },
      },
    });
    const { kind } = values;
    if (kind !== 'openapi' && kind !== 'json') return undefined;
    if (values.check !== undefined && values.write !== undefined) return undefined;
    return { kind, check: values.check, write: values.write };
  } catch {
    // `parseArgs` throws for an unknown option, a missing value and a stray word.
    return undefined;
  }
}

async function check(file: string, text: string, io: CommandIo): Promise<number> {
  const found = await readFile(file, 'utf8').catch(() => undefined);
  if (found === text) return 0;
  io.stderr(
    found === undefined
      ? `${file} cannot be read\n`
      : `${file} is not what the schemas say: write it again with --write\n`,
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
  // Without folding and anchors a change of one sentence is a change of one line.
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
