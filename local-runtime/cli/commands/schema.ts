import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readDocument } from '../../server/documents.ts';
import type { Call } from '../command-table/command.ts';

const DOCUMENTS = {
  openapi: 'openapi.yaml',
  json: 'image-request.schema.json',
} as const;

interface SchemaOptions {
  readonly kind: keyof typeof DOCUMENTS;
  readonly check: string | undefined;
  readonly write: string | undefined;
}

export async function runSchema({ options, io }: Call<unknown, SchemaOptions>): Promise<number> {
  const text = (await readDocument(DOCUMENTS[options.kind])).toString('utf8');
  const path = options.write ?? options.check;
  if (path === undefined) {
    io.stdout(text);
    return 0;
  }
  const file = resolve(io.cwd, path);
  const problem = await (options.write === undefined ? compare(file, text) : write(file, text));
  if (problem === undefined) return 0;
  io.stderr(`${file} ${problem}\n`);
  return 1;
}

/** Resolves with the problem if the file does not contain exactly the text. Otherwise resolves with undefined. */
async function compare(file: string, text: string): Promise<string | undefined> {
  const found = await readFile(file, 'utf8').catch(() => undefined);
  if (found === undefined) return 'cannot be read';
  return found === text
    ? undefined
    : 'differs from the document: write the file again with --write';
}

/** Resolves with the problem if the file cannot be written. Otherwise resolves with undefined. */
function write(file: string, text: string): Promise<string | undefined> {
  return writeFile(file, text).then(
    () => undefined,
    () => 'cannot be written',
  );
}
