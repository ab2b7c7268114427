import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { ImageMetadataRecord } from '../../lib/contract/reply/metadata-record.ts';
import { sniff } from '../../lib/images/container/sniff.ts';
import { readRecord } from '../../lib/images/xmp/read-record.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { createTimeSlices } from '../../lib/platform/time-slices.ts';
import type { CommandIo } from '../command-io.ts';

const USAGE = 'usage: image-bridge metadata show FILE [--json]';

const MAX_FILE_BYTES = 256 * 1024 * 1024;
const MAX_SIDECAR_BYTES = 4 * 1024 * 1024;

/** Nothing is decoded, so that only the length counts. */
const LIMITS = {
  max_encoded_bytes: MAX_FILE_BYTES,
  max_edge: Number.POSITIVE_INFINITY,
  max_pixels: Number.POSITIVE_INFINITY,
  max_decode_ms: 0,
};

type Reading =
  | { readonly ok: true; readonly record: ImageMetadataRecord }
  /** What is wrong, as the end of a sentence that the file's name begins. */
  | { readonly ok: false; readonly problem: string };

/**
 * `image-bridge metadata …`, `argv` being what follows these two words. Resolves to the exit code: 0, 1 when the file has
 * no record or cannot be read, 2 for bad usage.
 */
export async function runMetadataCommand(argv: readonly string[], io: CommandIo): Promise<number> {
  const command = parseCommand(argv);
  if (!command) {
    io.stderr(`${USAGE}\n`);
    return 2;
  }
  const reading = await readFileRecord(resolve(io.cwd, command.file));
  if (!reading.ok) {
    io.stderr(`${printable(command.file)} ${reading.problem}\n`);
    return 1;
  }
  io.stdout(command.json ? toJson(reading.record) : toLines(reading.record));
  return 0;
}

interface Command {
  readonly file: string;
  readonly json: boolean;
}

function parseCommand(argv: readonly string[]): Command | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false } },
    });
    const [verb, file, ...rest] = positionals;
    if (verb !== 'show' || file === undefined || rest.length > 0) return undefined;
    return { file, json: values.json };
  } catch {
    // `parseArgs` throws for an unknown option.
    return undefined;
  }
}

async function readFileRecord(path: string): Promise<Reading> {
  const bytes = await readWhole(path);
  if (typeof bytes === 'string') return { ok: false, problem: bytes };
  if (sniff(bytes) === undefined) return readSidecar(bytes);
  const { signal } = new AbortController();
  const reading = await readRecord(bytes, LIMITS, createTimeSlices(systemClock), signal);
  if (reading.ok) return toRecord(reading.record);
  return {
    ok: false,
    problem:
      reading.fault === 'no_record'
        ? 'has no record in it'
        : `is a damaged image (${reading.fault})`,
  };
}

/** The file, or what is wrong with it. */
async function readWhole(path: string): Promise<Buffer | string> {
  try {
    // Opening a pipe must not wait for its other end.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) return 'is no file';
      if (found.size > MAX_FILE_BYTES) return `is longer than ${MAX_FILE_BYTES} bytes`;
      const bytes = Buffer.alloc(found.size);
      const { bytesRead } = await file.read(bytes, 0, found.size, 0);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return 'cannot be read';
  }
}

function readSidecar(bytes: Buffer): Reading {
  if (bytes.length > MAX_SIDECAR_BYTES) {
    return { ok: false, problem: 'is neither a PNG, JPEG or WebP image nor a sidecar' };
  }
  return toRecord(bytes.toString('utf8'));
}

function toRecord(text: string): Reading {
  const problem = 'has no record that this version knows';
  try {
    const parsed = v.safeParse(ImageMetadataRecord, JSON.parse(text));
    return parsed.success ? { ok: true, record: parsed.output } : { ok: false, problem };
  } catch {
    return { ok: false, problem };
  }
}

function toJson(record: ImageMetadataRecord): string {
  return `${printable(JSON.stringify(record, undefined, 2))}\n`;
}

function toLines(record: ImageMetadataRecord): string {
  return Object.entries(record)
    .map(([name, value]) => `${name}: ${printable(JSON.stringify(value))}\n`)
    .join('');
}

/** The same JSON without what a terminal obeys: JSON itself escapes only the older control characters. */
function printable(json: string): string {
  return json.replaceAll(/(?!\n)\p{Cc}|\p{Bidi_Control}/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
