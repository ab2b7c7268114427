import type { StreamedBody } from '../../net/http-client.ts';
import type { Ids } from '../../platform/ids.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';

interface Deps {
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly slices: TimeSlices;
}

/** Returns the marker in a JSON value for the base64 (RFC 4648, 4) of `bytes`, alone or inside a string. */
export type Base64Marker = (bytes: Buffer) => string;

// Whole groups of three. Encoding one takes a tenth of a millisecond.
const CHUNK_BYTES = 98_304;

export type JsonBodies = ReturnType<typeof createJsonBodies>;

/** Writes JSON with images of many megabytes in it. The base64 is made chunk by chunk while the body is sent. */
export function createJsonBodies({ ids, slices }: Deps) {
  async function* encoded(bytes: Buffer, signal: AbortSignal): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      yield await slices.runStep(
        () => Buffer.from(bytes.toString('base64', at, at + CHUNK_BYTES), 'latin1'),
        signal,
      );
    }
  }

  /** The JSON of what `toValue` returns; each marker in it becomes the base64 of its bytes. */
  return function toJsonBody(toValue: (base64Of: Base64Marker) => unknown): StreamedBody {
    // Random: no text of the value can contain it.
    const id = ids.newOpaqueId();
    const blobs: Buffer[] = [];
    const json = JSON.stringify(toValue((bytes) => `${id}.${blobs.push(bytes) - 1}.`));
    // Texts at even positions, between them the numbers of the blobs.
    const parts = json.split(new RegExp(`${id}\\.(\\d+)\\.`)).map((text, position) => {
      const blob = position % 2 === 1 ? blobs[Number(text)] : undefined;
      return { bytes: blob ?? Buffer.from(text, 'utf8'), isBlob: blob !== undefined };
    });
    return {
      byteLength: parts.reduce(
        (sum, { bytes, isBlob }) => sum + (isBlob ? base64Length(bytes) : bytes.length),
        0,
      ),
      async *chunks(signal) {
        for (const { bytes, isBlob } of parts) {
          if (isBlob) yield* encoded(bytes, signal);
          else yield bytes;
        }
      },
    };
  };
}

function base64Length(bytes: Buffer): number {
  return Math.ceil(bytes.length / 3) * 4;
}
