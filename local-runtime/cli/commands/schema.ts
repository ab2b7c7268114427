import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readDocument } from '../../server/documents.ts';
import type { CommandIo } from '../command-io.ts';
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

/** Runs `image-bridge schema`. Resolves with the exit code. */
export async function runSchema({ options, io }: Call<unknown, SchemaOptions>): Promise<number> {
  const text = (await readDocument(DOCUMENTS[options.kind])).toString('utf8');
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
