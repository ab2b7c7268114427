import { resolve } from 'node:path';
import * as v from 'valibot';
import { ImageMetadataRecord } from '../../../lib/contract/reply/metadata-record.ts';
import type { ManifestReport } from '../../../lib/contract/resources/artifact-credentials.ts';
import { sniff } from '../../../lib/images/container/containers.ts';
import { readRecord, readSourceType } from '../../../lib/images/xmp/image-xmp.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createTimeSlices } from '../../../lib/platform/time-slices.ts';
import type { CredentialReport } from '../../../lib/provenance/manifest-report.ts';
import { readCredentials } from '../../../lib/provenance/show-credentials.ts';
import type { Call } from '../command-table/command.ts';
import type { JsonOption } from '../command-table/options.ts';
import { readWholeFile } from '../files.ts';
import { printJson, reportError } from '../print.ts';
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

/** The statements of a file about the origin of its image. A part is null if the file does not contain the part. */
interface Metadata {
  readonly record: ImageMetadataRecord | null;
  /** URL of the IPTC source type, which marks generated images. */
  readonly mark: string | null;
  readonly credentials: CredentialReport | null;
}

/** The metadata, or the problem with the file, to be printed after its name. */
type Reading =
  | ({ readonly ok: true } & Metadata)
  | { readonly ok: false; readonly problem: string };

type ShowOptions = JsonOption & { readonly trustAnchors?: string | undefined };

export async function runMetadataShow({
  args: { file },
  options,
  io,
}: Call<{ readonly file: string }, ShowOptions>): Promise<number> {
  const { trustAnchors } = options;
  const anchors = trustAnchors === undefined ? undefined : resolve(io.cwd, trustAnchors);
  try {
    const reading = await readMetadata(resolve(io.cwd, file), anchors);
    if (!reading.ok) {
      io.stderr(`${printable(file)} ${reading.problem}\n`);
      return 1;
    }
    const { record, mark, credentials } = reading;
    if (options.json) printJson({ record, mark, credentials }, io);
    else io.stdout(printable(toText(reading)));
    return 0;
  } catch (error) {
    return reportError(error, io);
  }
}

async function readMetadata(path: string, anchors: string | undefined): Promise<Reading> {
  const bytes = await readWholeFile(path, MAX_FILE_BYTES);
  if (typeof bytes === 'string') return { ok: false, problem: bytes };
  const format = sniff(bytes);
  if (format === undefined) {
    if (bytes.length > MAX_SIDECAR_BYTES) {
      return { ok: false, problem: 'is neither a PNG, JPEG or WebP image nor a sidecar' };
    }
    const record = toRecord(bytes.toString('utf8'));
    return record ? { ok: true, record, mark: null, credentials: null } : UNKNOWN_RECORD;
  }
  const { signal } = new AbortController();
  const slices = createTimeSlices(systemClock);
  const reading = await readRecord(bytes, LIMITS, slices, signal);
  if (!reading.ok && reading.fault !== 'no_record') {
    return { ok: false, problem: `is a damaged image (${reading.fault})` };
  }
  const record = reading.ok ? toRecord(reading.record) : null;
  const mark = (await readSourceType({ bytes, format }, slices, signal)) ?? null;
  const credentials = await readCredentials({ bytes, format }, anchors, systemClock);
  if (credentials === undefined) {
    return { ok: false, problem: 'has credentials that could not be validated' };
  }
  const hasCredentials = credentials.state !== 'none';
  if (record === null && mark === null && !hasCredentials) {
    return reading.ok
      ? UNKNOWN_RECORD
      : { ok: false, problem: 'has no embedded record, no mark and no credentials' };
  }
  return { ok: true, record, mark, credentials: hasCredentials ? credentials : null };
}

const UNKNOWN_RECORD = {
  ok: false,
  problem: 'has no record in a format known to this version',
} as const;

/** Returns null if the text is not a record in a known format. */
function toRecord(text: string): ImageMetadataRecord | null {
  try {
    const parsed = v.safeParse(ImageMetadataRecord, JSON.parse(text));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}

function toText({ record, mark, credentials }: Metadata): string {
  const lines = [
    ...Object.entries(record ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...(mark === null ? [] : [`mark: ${mark}`]),
    ...(credentials ? [`credentials: ${credentials.state}`] : []),
    ...(credentials?.manifest ? manifestLines(credentials.manifest, '  ') : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns the lines of a manifest. The manifests of its ingredients are indented below. */
function manifestLines(manifest: ManifestReport, indent: string): readonly string[] {
  const { signer, generator, actions, ingredients } = manifest;
  return [
    ...(signer === undefined ? [] : [`${indent}signed by: ${signer}`]),
    ...(generator === undefined ? [] : [`${indent}written by: ${generator}`]),
    ...actions.map(({ action, source_type: source, software }) =>
      [
        `${indent}${action}`,
        ...(software ? [`by ${software}`] : []),
        ...(source ? [source] : []),
      ].join(', '),
    ),
    ...ingredients.flatMap(({ relationship, title, format, manifest: own }) => [
      `${indent}${[relationship, title, format].filter(Boolean).join(', ')}`,
      ...(own ? manifestLines(own, `${indent}  `) : []),
    ]),
  ];
}
