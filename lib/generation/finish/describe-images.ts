import type { Timings } from '../../contract/reply/image-response.ts';
import type { ImageMetadataRecord } from '../../contract/reply/metadata-record.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { ImageTools, VerifiedImage } from '../../images/image.ts';
import { toXmpJson } from '../../images/xmp/xmp-packet.ts';
import { fitsImage, isEmbedded } from '../plan/record-essentials.ts';
import type { FinishedOutput } from './finish.ts';
import { fitRecord, toMetadataRecord } from './metadata-record.ts';
import type { Outcome } from './outcome.ts';

interface Deps {
  readonly engine: Pick<ImageTools, 'embedRecord' | 'inspect'>;
}

/** An output with its metadata, as far as any was asked for: inside the image, and what shall lie beside it. */
export interface DescribedOutput extends FinishedOutput {
  readonly sidecar: Buffer | undefined;
}

/** What the longest request needs several times over; only a provider's own words can be more. */
const MAX_SIDECAR_BYTES = 1024 * 1024;

export type DescribeImages = ReturnType<typeof createDescribeImages>;

/** Writes the metadata records that were asked for into images and for sidecars. */
export function createDescribeImages({ engine }: Deps) {
  /** Throws `protocol` for an image that takes no record. */
  async function embedded(
    image: VerifiedImage,
    record: ImageMetadataRecord,
    signal: AbortSignal,
  ): Promise<VerifiedImage> {
    const json = fitRecord(record, JSON.stringify, fitsImage);
    if (json === undefined) throw new BridgeError('internal', 'a metadata record grew too large');
    const bytes = await engine.embedRecord(image, toXmpJson(json), signal);
    if (bytes === undefined) {
      throw new BridgeError('protocol', 'the provider gave an image that takes no metadata', {
        details: { reason: 'too_much_xmp' },
      });
    }
    const inspection = await engine.inspect(bytes, signal);
    if (inspection.ok && looksLike(inspection.image, image)) return inspection.image;
    throw new BridgeError('internal', 'an image came out changed when its metadata was written', {
      details: { reason: inspection.ok ? 'changed' : inspection.fault },
    });
  }

  /** The outputs in their order, each verified anew where its bytes have changed. */
  return async function describeImages(
    outcome: Outcome,
    timings: Timings,
    signal: AbortSignal,
  ): Promise<readonly DescribedOutput[]> {
    const { metadata } = outcome.plan.output;
    return Promise.all(
      outcome.result.outputs.map(async (output): Promise<DescribedOutput> => {
        const recordOf = (facts: ImageMetadataRecord['image']) =>
          toMetadataRecord(outcome, timings, output, facts);
        // A record in a file with a signed manifest would make its signature invalid.
        const takesRecord = !output.warnings.includes('metadata_not_embedded');
        const image =
          isEmbedded(metadata) && takesRecord
            ? await embedded(output.image, recordOf(compactFacts(output)), signal)
            : output.image;
        const described = { ...output, image };
        const sidecar = metadata.startsWith('sidecar')
          ? toSidecar(recordOf(fullFacts(described)))
          : undefined;
        return { ...described, sidecar };
      }),
    );
  };
}

function toSidecar(record: ImageMetadataRecord): Buffer {
  const json = fitRecord(record, toText, (text) => Buffer.byteLength(text) <= MAX_SIDECAR_BYTES);
  if (json === undefined) throw new BridgeError('internal', 'a metadata record grew too large');
  return Buffer.from(json);
}

function toText(record: ImageMetadataRecord): string {
  return `${JSON.stringify(record, undefined, 2)}\n`;
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
