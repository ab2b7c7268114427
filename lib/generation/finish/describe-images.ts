import { toWireCost } from '../../contract/reply/cost.ts';
import type { Timings, Warning } from '../../contract/reply/image-response.ts';
import {
  type ImageMetadataRecord,
  OMITTABLE_FIELDS,
  type OmittableField,
} from '../../contract/reply/metadata-record.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { ImageTools, VerifiedImage } from '../../images/image.ts';
import { toXmpJson } from '../../images/xmp/xmp-packet.ts';
import type { Credentials } from '../../provenance/credentials.ts';
import type { Claim } from '../../provenance/manifest-definition.ts';
import { fitsImage, isEmbedded } from '../plan/record-essentials.ts';
import type { FinishedOutput } from './finish.ts';
import { type Outcome, warningsOf } from './response.ts';

export interface DescribeDeps {
  readonly engine: Pick<ImageTools, 'embedRecord' | 'inspect' | 'withoutManifest'>;
  readonly credentials: Pick<Credentials, 'sign'>;
}

type Engine = DescribeDeps['engine'];

/**
 * An output with the requested metadata, embedded in the image, in a sidecar, or both, and with its credentials. `warnings` includes
 * the warnings about these steps.
 */
export interface DescribedOutput extends FinishedOutput {
  readonly sidecar: Buffer | undefined;
}

/** The maximum size of a sidecar. Only text returned by a provider can make a record exceed this limit. */
const MAX_SIDECAR_BYTES = 1024 * 1024;

/**
 * Writes the requested metadata records into images and sidecars, and signs images. Returns the outputs in the same order.
 * Verifies each changed image again.
 */
export async function describeImages(
  deps: DescribeDeps,
  outcome: Outcome,
  timings: Timings,
  signal: AbortSignal,
): Promise<readonly DescribedOutput[]> {
  const { metadata } = outcome.plan.output;
  return Promise.all(
    outcome.result.outputs.map(async (output): Promise<DescribedOutput> => {
      const record = toMetadataRecord(outcome, timings, output, compactFacts(output));
      const takesRecord = isEmbedded(metadata) && output.treatment.takesRecord;
      const { image, warnings } = takesRecord
        ? await signedWithRecord(deps, output, record, signal)
        : await signed(deps, output, output.image, signal);
      const described = { ...output, image, warnings: [...output.warnings, ...warnings] };
      const known = withWarnings(outcome, warnings);
      const sidecar = metadata.startsWith('sidecar')
        ? toSidecar(toMetadataRecord(known, timings, output, fullFacts(described)))
        : undefined;
      return { ...described, sidecar };
    }),
  );
}

/** Returns the outcome with more warnings. */
export function withWarnings<T extends Outcome>(outcome: T, more: readonly Warning[]): T {
  const { result } = outcome;
  return { ...outcome, result: { ...result, warnings: [...result.warnings, ...more] } };
}

/** Embeds the record and signs the image. Only an image without credentials can fail because it cannot hold the record. */
async function signedWithRecord(
  deps: DescribeDeps,
  output: FinishedOutput,
  record: ImageMetadataRecord,
  signal: AbortSignal,
): Promise<Signed> {
  const { image, treatment } = output;
  const recorded = await embedded(deps.engine, image, record, signal).catch((error: unknown) => {
    // The record is the only change, so the image can keep the credentials of the provider instead.
    if (treatment.isKeptWithoutRecord && !signal.aborted) return undefined;
    throw error;
  });
  return recorded === undefined
    ? { image, warnings: ['metadata_not_embedded'] }
    : signed(deps, output, recorded, signal);
}

/** An image with its credentials, and the warnings about them. */
interface Signed {
  readonly image: VerifiedImage;
  readonly warnings: readonly Warning[];
}

/**
 * Signs an image if its treatment has a claim. If the image cannot be signed, resolves with an image that has no broken credentials:
 * the image of the provider if only the record was added, else the image without credentials.
 */
async function signed(
  { engine, credentials }: DescribeDeps,
  { image: finished, treatment: { claim, isKeptWithoutRecord } }: FinishedOutput,
  recorded: VerifiedImage,
  signal: AbortSignal,
): Promise<Signed> {
  if (claim === undefined) return { image: recorded, warnings: [] };
  // The record has made the credentials of the provider invalid. They are part of the new manifest.
  const bytes = await engine.withoutManifest(recorded, signal);
  const signing = await credentials.sign({ ...recorded, bytes }, claim, signal);
  if (signing.ok) return { image: signing.image, warnings: [] };
  if (isKeptWithoutRecord) {
    return { image: finished, warnings: ['metadata_not_embedded', 'signing_failed'] };
  }
  const lost = hasOriginalCredentials(claim) ? (['credentials_dropped'] as const) : [];
  return { image: recorded, warnings: [...lost, 'signing_failed'] };
}

/** Returns true if the image was made from an image with credentials, which an unsigned image does not have. */
function hasOriginalCredentials(claim: Claim): boolean {
  switch (claim.kind) {
    case 'changed':
      return claim.original.hasCredentials;
    case 'put_back':
      return claim.source.hasCredentials || claim.drawn.hasCredentials;
    case 'created':
      return false;
  }
}

/** Embeds a record. Throws `protocol` if the image cannot hold a record. */
async function embedded(
  engine: Engine,
  image: VerifiedImage,
  record: ImageMetadataRecord,
  signal: AbortSignal,
): Promise<VerifiedImage> {
  const json = fitRecord(record, JSON.stringify, fitsImage);
  const bytes = await engine.embedRecord(image, toXmpJson(json), signal);
  if (bytes === undefined) {
    throw new BridgeError('protocol', 'the provider returned an image that cannot hold metadata', {
      details: { reason: 'too_much_xmp' },
    });
  }
  const inspection = await engine.inspect(bytes, signal);
  if (inspection.ok && looksLike(inspection.image, image)) return inspection.image;
  throw new BridgeError('internal', 'writing metadata changed the image', {
    details: { reason: inspection.ok ? 'changed' : inspection.fault },
  });
}

function toSidecar(record: ImageMetadataRecord): Buffer {
  const toText = (content: ImageMetadataRecord) => `${JSON.stringify(content, undefined, 2)}\n`;
  const fits = (text: string) => Buffer.byteLength(text) <= MAX_SIDECAR_BYTES;
  return Buffer.from(fitRecord(record, toText, fits));
}

function compactFacts({ index, image: { format, width, height } }: FinishedOutput) {
  return { index, format, width, height };
}

function fullFacts(output: FinishedOutput): ImageMetadataRecord['image'] {
  const { bytes, sha256 } = output.image;
  return { ...compactFacts(output), bytes: bytes.byteLength, sha256 };
}

function looksLike(after: VerifiedImage, before: VerifiedImage): boolean {
  return (['format', 'width', 'height', 'orientation', 'alpha'] as const).every(
    (fact) => after[fact] === before[fact],
  );
}

/** Returns the complete record of how one image was made. */
export function toMetadataRecord(
  outcome: Outcome,
  timings: Timings,
  { revisedPrompt }: Pick<FinishedOutput, 'revisedPrompt'>,
  image: ImageMetadataRecord['image'],
): ImageMetadataRecord {
  const { plan, result, attempts, completedSecs } = outcome;
  return {
    version: '1',
    completed: completedSecs,
    ...plan.report.record,
    normalizations: [...plan.report.normalizations],
    ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
    ...(attempts ? { attempts: [...attempts] } : {}),
    ...(result.usage ? { usage: result.usage } : {}),
    cost: toWireCost(result.cost),
    ...(result.session ? { session: result.session } : {}),
    timings,
    warnings: warningsOf(outcome),
    image,
  };
}

/**
 * Returns the record as JSON for which `fits` returns true. Omits fields in the order of `OMITTABLE_FIELDS` until the record
 * fits. Throws `internal` if the record does not fit even without these fields.
 */
export function fitRecord(
  record: ImageMetadataRecord,
  toJson: (record: ImageMetadataRecord) => string,
  fits: (json: string) => boolean,
): string {
  let rest = record;
  const omitted: OmittableField[] = [];
  for (const field of OMITTABLE_FIELDS) {
    const json = toJson(rest);
    if (fits(json)) return json;
    if (rest[field] === undefined) continue;
    omitted.push(field);
    const { [field]: _, ...others } = rest;
    rest = { ...others, omitted_fields: [...omitted] };
  }
  const json = toJson(rest);
  if (fits(json)) return json;
  throw new BridgeError('internal', 'the metadata record is too large');
}
