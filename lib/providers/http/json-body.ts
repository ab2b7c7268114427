import type { StreamedBody } from '../../net/http-client.ts';
import type { Ids } from '../../platform/ids.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';

interface Deps {
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly slices: TimeSlices;
}

/**
 * Returns a placeholder for the base64 (RFC 4648, section 4) of `bytes`. The placeholder can be put into a JSON value, alone or
 * inside a string.
 */
export type Base64Marker = (bytes: Buffer) => string;

// A multiple of three bytes. Encoding one chunk takes about 0.1 ms.
const CHUNK_BYTES = 98_304;

export type JsonBodies = ReturnType<typeof createJsonBodies>;

/**
 * Creates a writer of JSON bodies that contain images of many megabytes. The base64 is encoded chunk by chunk while the
 * body is sent.
 */
export function createJsonBodies({ ids, slices }: Deps) {
  async function* encoded(bytes: Buffer, signal: AbortSignal): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      yield await slices.runStep(
        () => Buffer.from(bytes.toString('base64', at, at + CHUNK_BYTES), 'latin1'),
        signal,
      );
    }
  }

  /**
   * Returns the JSON of the value that `toValue` returns, with each placeholder replaced by the base64 of its bytes.
   */
  return function toJsonBody(toValue: (base64Of: Base64Marker) => unknown): StreamedBody {
    // The id is random, so that no text in the value can contain the id.
    const id = ids.newOpaqueId();
    const blobs: Buffer[] = [];
    const json = JSON.stringify(toValue((bytes) => `${id}.${blobs.push(bytes) - 1}.`));
    // Even positions are texts; odd positions are indices of blobs.
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
