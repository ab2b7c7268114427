import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { ImageFault } from '../image.ts';
import { keywordEnd, toInternationalText } from './png-text.ts';

/** contract.md 1: for all texts and profiles of an image together. */
const MAX_INFLATED_BYTES = 4 * 1024 * 1024;
/** The longest stream that 4 MiB are deflated to. A longer one inflates to more, or contains empty blocks that waste time. */
const MAX_DEFLATED_BYTES = MAX_INFLATED_BYTES + 64 * 1024;
/** As many text chunks as libpng accepts. Inflating takes time even if the result is empty. */
export const MAX_STREAMS = 1000;

const inflate = promisify(inflateRaw);

/** The deflate stream inside an `iCCP`, `zTXt` or `iTXt` chunk. */
export function deflatedPart(type: string, data: Buffer): Buffer | 'plain' | 'corrupt' {
  const stream = type === 'iTXt' ? internationalStream(data) : keywordedStream(data);
  if (stream === 'plain') return 'plain';
  // Without the zlib header. The Adler-32 after the data is not checked (contract.md 1).
  return stream !== 'corrupt' && isZlib(stream) ? stream.subarray(2) : 'corrupt';
}

/** Inflates texts and profiles off the main thread, one after the other, and checks their total length. */
export async function checkInflatedSize(
  streams: readonly Buffer[],
  signal: AbortSignal,
): Promise<ImageFault | undefined> {
  const deflatedBytes = streams.reduce((sum, stream) => sum + stream.length, 0);
  if (deflatedBytes > MAX_DEFLATED_BYTES) return 'chunk_too_large';
  let left = MAX_INFLATED_BYTES;
  for (const stream of streams) {
    signal.throwIfAborted();
    try {
      const inflated = await inflate(stream, { maxOutputLength: Math.max(1, left) });
      left -= inflated.length;
    } catch (thrown) {
      return isTooLarge(thrown) ? 'chunk_too_large' : 'corrupt';
    }
  }
  return undefined;
}

/** PNG 3rd edition, 11.3.2.3 and 11.3.3.3: keyword, NUL, method 0, stream. */
function keywordedStream(data: Buffer): Buffer | 'corrupt' {
  const end = keywordEnd(data);
  return end === undefined || data[end + 1] !== 0 ? 'corrupt' : data.subarray(end + 2);
}

function internationalStream(data: Buffer): Buffer | 'plain' | 'corrupt' {
  const found = toInternationalText(data);
  if (found === undefined) return 'corrupt';
  if (found.flag === 0) return 'plain';
  return found.flag === 1 && found.method === 0 ? found.text : 'corrupt';
}

/** RFC 1950, 2.2: deflate, no preset dictionary, and a header that is divisible by 31. */
function isZlib(stream: Buffer): boolean {
  const method = stream[0];
  const flags = stream[1];
  if (method === undefined || flags === undefined) return false;
  return (method & 0x0f) === 8 && (flags & 0x20) === 0 && (method * 256 + flags) % 31 === 0;
}

function isTooLarge(thrown: unknown): boolean {
  return thrown instanceof RangeError && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE';
}
