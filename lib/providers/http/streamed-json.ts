import { createGrowingBuffer } from '../../platform/growing-buffer.ts';
import { type Base64Decoder, createBase64Decoder } from './base64-decoder.ts';
import { parseBounded } from './bounded-json.ts';
import { createSlashUnescaper, type SlashUnescaper } from './slash-unescaper.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const QUOTE_BYTES = Buffer.from('"');

// Most events are shorter.
const FIRST_BYTES = 4096;
// Texts of an event are shorter; images are nearly always longer.
const BLOB_BYTES = 16_384;
// All values of one reader, without their images: a reply of ten images has some hundred kilobytes.
const MAX_ALL_TEXT_BYTES = 8 * 1024 * 1024;
// The reply with the most structure repeats the request and lists its images: some hundred names.
const BOUNDS = { maxNames: 2048, maxNested: 2048 };

/** One JSON value. */
export interface StreamedJson {
  /** Parsed. Each string that is too long for a text is replaced by a short placeholder. */
  readonly value: unknown;
  /** The bytes of a base64 string of `value`, long or short; undefined when it is not base64. */
  bytesOf(text: string): Buffer | undefined;
  /** Whether a string of `value` is the placeholder of a longer one. */
  isPlaceholder(text: string): boolean;
}

/**
 * Reads one JSON value after the other, in parts of any length. A string that grows beyond 16 KiB is decoded from base64
 * while it arrives: an image never becomes a JavaScript string of megabytes, and `JSON.parse` gets a short text.
 * `maxTextBytes` bounds everything but those strings, which the caller bounds by what it pushes. `knownBytes` gives the
 * image that is likely to be sent again. `maxAllTextBytes` bounds the texts of all values together.
 */
export function createJsonReader(
  maxTextBytes: number,
  knownBytes: () => Buffer | undefined = () => undefined,
  maxAllTextBytes = MAX_ALL_TEXT_BYTES,
) {
  const text = createGrowingBuffer({ initialBytes: FIRST_BYTES });
  const string = createGrowingBuffer({ initialBytes: FIRST_BYTES });
  let blobs = new Map<string, Base64Decoder>();
  let decoder: Base64Decoder | undefined;
  let toBase64: SlashUnescaper = createSlashUnescaper();
  let inString = false;
  // Whether the next byte of the string is escaped by the last one before it.
  let isEscaped = false;
  let textBytes = 0;

  function stringPart(part: Buffer): void {
    if (!decoder) {
      string.append(part);
      if (string.length() <= BLOB_BYTES) return;
      decoder = createBase64Decoder(knownBytes());
      toBase64 = createSlashUnescaper();
      decoder.push(toBase64(string.take()));
    } else decoder.push(toBase64(part));
  }

  function endString(): void {
    inString = false;
    if (decoder) {
      // It starts with a NUL, escaped as JSON demands; no text contains one.
      const placeholder = `blob ${blobs.size}`;
      blobs.set(`\u0000${placeholder}`, decoder);
      decoder = undefined;
      text.append(Buffer.from(`\\u0000${placeholder}`, 'latin1'));
    } else text.append(string.take());
    text.append(QUOTE_BYTES);
  }

  /** Reads on inside a string; returns the index behind its closing quote, or the part's end. */
  function readString(part: Buffer, from: number): number {
    const close = closingQuote(part, from, isEscaped);
    const end = close === -1 ? part.length : close;
    if (close === -1) isEscaped = escapesNext(part, from, isEscaped);
    else isEscaped = false;
    if (end > from) stringPart(part.subarray(from, end));
    if (close !== -1) endString();
    return close === -1 ? part.length : close + 1;
  }

  return {
    /** False when the text has become longer than `maxTextBytes`, or all texts of the stream are too long together. */
    push(part: Buffer): boolean {
      let at = 0;
      while (at < part.length) {
        if (inString) {
          at = readString(part, at);
          continue;
        }
        const open = part.indexOf(QUOTE, at);
        const end = open === -1 ? part.length : open + 1;
        text.append(part.subarray(at, end));
        inString = open !== -1;
        at = end;
      }
      return text.length() <= maxTextBytes && textBytes + text.length() <= maxAllTextBytes;
    },

    /** The complete value; undefined when it is not JSON, or has far more structure than any reply. The next part begins the next value. */
    end(): StreamedJson | undefined {
      const json = text.take();
      textBytes += json.length;
      const found = blobs;
      const isComplete = !inString;
      blobs = new Map();
      string.take();
      decoder = undefined;
      inString = false;
      isEscaped = false;
      const value = isComplete ? parseBounded(json, BOUNDS) : undefined;
      if (value === undefined) return undefined;
      return {
        value,
        bytesOf: (name) => (found.get(name) ?? decoderOf(name)).end(),
        isPlaceholder: (name) => found.has(name),
      };
    },
  };
}

function decoderOf(text: string): Base64Decoder {
  const decoder = createBase64Decoder();
  decoder.push(Buffer.from(text, 'utf8'));
  return decoder;
}

/** The quote that ends the string under way; -1 when it is not in this part. */
function closingQuote(part: Buffer, from: number, isFirstEscaped: boolean): number {
  let quote = part.indexOf(QUOTE, from);
  while (quote !== -1 && isEscapedAt(part, from, quote, isFirstEscaped)) {
    quote = part.indexOf(QUOTE, quote + 1);
  }
  return quote;
}

function isEscapedAt(part: Buffer, from: number, at: number, isFirstEscaped: boolean): boolean {
  let slashes = 0;
  while (at - 1 - slashes >= from && part[at - 1 - slashes] === BACKSLASH) slashes += 1;
  const reachesStart = at - slashes === from;
  return (slashes + Number(reachesStart && isFirstEscaped)) % 2 === 1;
}

function escapesNext(part: Buffer, from: number, isFirstEscaped: boolean): boolean {
  return isEscapedAt(part, from, part.length, isFirstEscaped);
}
