import { resolve } from 'node:path';
import * as v from 'valibot';
import { ImageMetadataRecord } from '../../../lib/contract/reply/metadata-record.ts';
import { sniff } from '../../../lib/images/container/containers.ts';
import { readRecord } from '../../../lib/images/xmp/image-record.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createTimeSlices } from '../../../lib/platform/time-slices.ts';
import type { Call } from '../command-table/command.ts';
import type { JsonOption } from '../command-table/options.ts';
import { readWholeFile } from '../files.ts';
import { printJson } from '../print.ts';
import { printable } from '../terminal.ts';

const MAX_FILE_BYTES = 256 * 1024 * 1024;
const MAX_SIDECAR_BYTES = 4 * 1024 * 1024;

/** The limits of images. Only the limit of the file size is used here, because no image is decoded. */
const LIMITS = {
  max_encoded_bytes: MAX_FILE_BYTES,
  max_edge: Number.POSITIVE_INFINITY,
  max_pixels: Number.POSITIVE_INFINITY,
  max_decode_ms: 0,
};

type Reading =
  | { readonly ok: true; readonly record: ImageMetadataRecord }
  /** The problem with the file, to be printed after its name. */
  | { readonly ok: false; readonly problem: string };

export async function runMetadataShow({
  args: { file },
  options,
  io,
}: Call<{ readonly file: string }, JsonOption>): Promise<number> {
  const reading = await readFileRecord(resolve(io.cwd, file));
  if (!reading.ok) {
    io.stderr(`${printable(file)} ${reading.problem}\n`);
    return 1;
  }
  const { record } = reading;
  if (options.json) printJson(record, io);
  else {
    const lines = Object.entries(record).map(
      ([name, value]) => `${name}: ${JSON.stringify(value)}`,
    );
    io.stdout(printable(`${lines.join('\n')}\n`));
  }
  return 0;
}

async function readFileRecord(path: string): Promise<Reading> {
  const bytes = await readWholeFile(path, MAX_FILE_BYTES);
  if (typeof bytes === 'string') return { ok: false, problem: bytes };
  if (sniff(bytes) === undefined) {
    if (bytes.length <= MAX_SIDECAR_BYTES) return toRecord(bytes.toString('utf8'));
    return { ok: false, problem: 'is neither a PNG, JPEG or WebP image nor a sidecar' };
  }
  const { signal } = new AbortController();
  const reading = await readRecord(bytes, LIMITS, createTimeSlices(systemClock), signal);
  if (reading.ok) return toRecord(reading.record);
  const { fault } = reading;
  const problem =
    fault === 'no_record' ? 'has no embedded record' : `is a damaged image (${fault})`;
  return { ok: false, problem };
}

function toRecord(text: string): Reading {
  const problem = 'has no record in a format known to this version';
  try {
    const parsed = v.safeParse(ImageMetadataRecord, JSON.parse(text));
    return parsed.success ? { ok: true, record: parsed.output } : { ok: false, problem };
  } catch {
    return { ok: false, problem };
  }
}
