import { toWireCost } from '../../contract/reply/cost.ts';
import type { Timings, Warning } from '../../contract/reply/image-response.ts';
import {
  type ImageMetadataRecord,
  OMITTABLE_FIELDS,
  type OmittableField,
} from '../../contract/reply/metadata-record.ts';
import type { Provenance } from '../../contract/reply/provenance.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { type ImageTools, inParts, type VerifiedInParts, withBytes } from '../../images/image.ts';
import { toXmpJson } from '../../images/xmp/xmp-packet.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Credentials } from '../../provenance/credentials.ts';
import { fitsImage, isEmbedded, isSidecar } from '../plan/record-essentials.ts';
import type { FinishedOutput } from './finish.ts';
import type { MarkedImage } from './mark.ts';
import { type Outcome, warningsOf } from './response.ts';
import { type CredentialFacts, factsUnsigned } from './treatment.ts';

export interface DescribeDeps {
  readonly engine: Pick<ImageTools, 'writeXmp' | 'withoutManifest' | 'withChecksum'>;
  readonly credentials: Pick<Credentials, 'sign' | 'marks'>;
  readonly metrics: Pick<Metrics, 'imageDescribed'>;
}

/**
 * An output with its mark and its credentials, and with the requested metadata, embedded in the image, in a sidecar, or both.
 * `warnings` includes the warnings about these steps.
 */
export interface DescribedOutput extends FinishedOutput {
  readonly image: VerifiedInParts;
  readonly provenance: Provenance;
  readonly sidecar: Buffer | undefined;
}

/** The maximum size of a sidecar. Only text returned by a provider can make a record exceed this limit. */
const MAX_SIDECAR_BYTES = 1024 * 1024;

/**
 * Writes records into images, signs images, and writes sidecars. Resolves with the outputs in the same order. An image is signed
 * last, because a signature covers the record and the mark.
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
      const record = isEmbedded(metadata)
        ? toMetadataRecord(outcome, timings, output, compactFacts(output))
        : undefined;
      const { image: last, warnings, ...facts } = await completed(deps, output, record, signal);
      const image = await deps.engine.withChecksum(last, signal);
      const provenance = toProvenance(facts);
      deps.metrics.imageDescribed(provenance);
      const described = {
        ...output,
        image,
        provenance,
        warnings: [...output.warnings, ...warnings],
      };
      const known = withWarnings(outcome, warnings);
      const sidecar = isSidecar(metadata)
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

/** An image whose bytes no longer change, with the facts and the warnings about its last steps. */
interface Completed extends MarkedImage {
  readonly credentials: CredentialFacts;
  readonly warnings: readonly Warning[];
}

/**
 * Writes the record, with a mark if the image has none, and signs the image. If the record would be the only change of an image with
 * valid credentials and cannot be written, the image keeps its credentials. Throws `protocol` if any other image cannot hold the
 * record.
 */
async function completed(
  deps: DescribeDeps,
  output: FinishedOutput,
  record: ImageMetadataRecord | undefined,
  signal: AbortSignal,
): Promise<Completed> {
  const { image, mark, treatment } = output;
  if (!treatment.takesXmp) return { image, mark, credentials: treatment.facts, warnings: [] };
  if (record === undefined) return signed(deps, output, output, signal);
  const recorded = await withRecord(deps, output, record, signal).catch((error: unknown) => {
    // The record is the only change, so the image can keep the credentials of the provider instead.
    if (treatment.isKeptWithoutRecord && !signal.aborted) return undefined;
    throw error;
  });
  return recorded === undefined
    ? { image, mark, credentials: factsUnsigned(treatment), warnings: ['metadata_not_embedded'] }
    : signed(deps, output, recorded, signal);
}

/** Embeds a record and marks the image. Throws `protocol` if the image cannot hold a record. */
async function withRecord(
  { engine, credentials }: DescribeDeps,
  output: FinishedOutput,
  record: ImageMetadataRecord,
  signal: AbortSignal,
): Promise<MarkedImage> {
  const { image, mark, sourceType } = output;
  const json = toXmpJson(fitRecord(record, JSON.stringify, fitsImage));
  const isMarked = credentials.marks && mark.result === 'none';
  const added = isMarked ? { sourceType } : {};
  const recorded = await engine.writeXmp(image, { record: json, ...added }, signal);
  if (typeof recorded !== 'string') {
    return { image: recorded, mark: isMarked ? { result: 'written', sourceType } : mark };
  }
  if (recorded === 'too_much_xmp') {
    throw new BridgeError('protocol', 'the provider returned an image that cannot hold metadata', {
      details: { reason: recorded },
    });
  }
  throw new BridgeError('internal', 'the metadata could not be written into the image', {
    details: { reason: recorded },
  });
}

/**
 * Signs an image if its treatment has a claim. If the image cannot be signed, resolves with an image that has no broken credentials:
 * the image of the provider if only the record was added, else the image without credentials.
 */
async function signed(
  { engine, credentials }: DescribeDeps,
  output: FinishedOutput,
  { image, mark }: MarkedImage,
  signal: AbortSignal,
): Promise<Completed> {
  const { claim, isKeptWithoutRecord, facts } = output.treatment;
  if (claim === undefined) return { image, mark, credentials: facts, warnings: [] };
  // The record has made the credentials of the provider invalid. The new manifest contains these credentials.
  const bytes = await engine.withoutManifest(image, signal);
  const signing = await credentials.sign(withBytes(image, bytes), claim, signal);
  if (signing.ok) return { image: inParts(signing.image), mark, credentials: facts, warnings: [] };
  const left = factsUnsigned(output.treatment);
  if (isKeptWithoutRecord) {
    const warnings = ['metadata_not_embedded', 'signing_failed'] as const;
    return { image: output.image, mark: output.mark, credentials: left, warnings };
  }
  const lost = left.credentials === 'dropped' ? (['credentials_dropped'] as const) : [];
  return { image, mark, credentials: left, warnings: [...lost, 'signing_failed'] };
}

function toProvenance({
  credentials,
  mark: { result, sourceType },
}: Pick<Completed, 'credentials' | 'mark'>): Provenance {
  return {
    ...credentials,
    mark: result,
    ...(sourceType === undefined ? {} : { source_type: sourceType }),
  };
}

function toSidecar(record: ImageMetadataRecord): Buffer {
  const toText = (content: ImageMetadataRecord) => `${JSON.stringify(content, undefined, 2)}\n`;
  const fits = (text: string) => Buffer.byteLength(text) <= MAX_SIDECAR_BYTES;
  return Buffer.from(fitRecord(record, toText, fits));
}

type ImageFacts = Pick<ImageMetadataRecord, 'image' | 'provenance'>;

function compactFacts({ treatment: { facts }, ...output }: FinishedOutput): ImageFacts {
  const { found, signer } = facts;
  return {
    image: compactImage(output),
    provenance: { found, ...(signer === undefined ? {} : { signer }) },
  };
}

function fullFacts({ provenance, ...output }: Omit<DescribedOutput, 'sidecar'>): ImageFacts {
  const { bytes, sha256 } = output.image;
  return { image: { ...compactImage(output), bytes: bytes.length, sha256 }, provenance };
}

function compactImage({
  index,
  image: { format, width, height },
}: Pick<FinishedOutput, 'index' | 'image'>) {
  return { index, format, width, height };
}

/** Returns the complete record of how one image was made. */
export function toMetadataRecord(
  outcome: Outcome,
  timings: Timings,
  { revisedPrompt }: Pick<FinishedOutput, 'revisedPrompt'>,
  { image, provenance }: ImageFacts,
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
    ...(provenance && { provenance }),
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
