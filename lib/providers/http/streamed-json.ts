import { createGrowingBuffer } from '../../platform/growing-buffer.ts';
import { type Base64Decoder, createBase64Decoder } from './base64-decoder.ts';
import { closingQuote, isEscapedAt, parseBounded } from './bounded-json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const QUOTE_BYTES = Buffer.from('"');

/** The start of a data URL with base64 (RFC 2397). A writer of JSON may escape its slash. */
const DATA_URL = /^data:[\w.+-]+\\?\/[\w.+-]+;base64,/i;
// The longest prefix that is recognized.
const MAX_PREFIX_BYTES = 128;

// Most events are shorter than this.
const FIRST_BYTES = 4096;
// A longer string is treated as an image. The texts of an event are shorter, and images are nearly always longer.
const BLOB_BYTES = 16_384;
// Limit for all values of one reader without their images. A reply of ten images has some hundred kilobytes.
const MAX_ALL_TEXT_BYTES = 8 * 1024 * 1024;
// The most complex reply repeats the request and lists its images: some hundred names.
const BOUNDS = { maxNames: 2048, maxNested: 2048 };

/** One JSON value. */
export interface StreamedJson {
  /** The parsed value. Each string longer than 16 KiB is replaced by a short placeholder. */
  readonly value: unknown;
  /**
   * Returns the bytes of a base64 string in `value`, given as text or as a placeholder, or undefined if the string is not base64.
   */
  bytesOf(text: string): Buffer | undefined;
  /** Returns true if a string in `value` is the placeholder of a longer string. */
  isPlaceholder(text: string): boolean;
}

interface Options {
  /** Returns the image that is likely to be sent again, or undefined if there is none. */
  readonly expectedImage?: () => Buffer | undefined;
  /** The maximum length of the texts of all values together. */
  readonly maxAllTextBytes?: number;
  /** True if data URLs are read as base64. */
  readonly readsDataUrls?: boolean;
}

/**
 * Reads a sequence of JSON values that arrive in parts of any length. A string longer than 16 KiB is decoded from base64 while it
 * arrives, so that an image never becomes a JavaScript string of megabytes and `JSON.parse` reads a short text. `maxTextBytes`
 * limits each value without these long strings; the caller limits the strings by limiting the bytes that it pushes.
 */
export function createJsonReader(
  maxTextBytes: number,
  {
    expectedImage = () => undefined,
    maxAllTextBytes = MAX_ALL_TEXT_BYTES,
    readsDataUrls = false,
  }: Options = {},
) {
  const toBase64Text = readsDataUrls ? withoutDataUrlPrefix : (text: Buffer) => text;
  const text = createGrowingBuffer({ initialBytes: FIRST_BYTES });
  const string = createGrowingBuffer({ initialBytes: FIRST_BYTES });
  let blobs = new Map<string, Base64Decoder>();
  let decoder: Base64Decoder | undefined;
  let toBase64: SlashUnescaper = createSlashUnescaper();
  let inString = false;
  // True if the last byte escapes the next byte of the string.
  let isEscaped = false;
  let textBytes = 0;

  function stringPart(part: Buffer): void {
    if (!decoder) {
      string.append(part);
      if (string.length() <= BLOB_BYTES) return;
      decoder = createBase64Decoder(expectedImage());
      toBase64 = createSlashUnescaper();
      decoder.push(toBase64(toBase64Text(string.take())));
    } else decoder.push(toBase64(part));
  }

  function endString(): void {
    inString = false;
    if (decoder) {
      // A placeholder starts with an escaped NUL, which no text contains.
      const placeholder = `blob ${blobs.size}`;
      blobs.set(`\u0000${placeholder}`, decoder);
      decoder = undefined;
      text.append(Buffer.from(`\\u0000${placeholder}`, 'latin1'));
    } else text.append(string.take());
    text.append(QUOTE_BYTES);
  }

  /** Reads the rest of a string. Returns the index after its closing quote, or the end of the part. */
  function readString(part: Buffer, from: number): number {
    const close = closingQuote(part, from, isEscaped);
    const end = close === -1 ? part.length : close;
    isEscaped = close === -1 && isEscapedAt(part, from, end, isEscaped);
    if (end > from) stringPart(part.subarray(from, end));
    if (close !== -1) endString();
    return close === -1 ? part.length : close + 1;
  }

  return {
    /**
     * Reads the next part. Returns false if the text exceeds `maxTextBytes`, or if all texts of the stream exceed
     * `maxAllTextBytes`.
     */
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

    /**
     * Returns the complete value, or undefined if it is not JSON or has more structure than any expected reply. The
     * next part begins a new value.
     */
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
        bytesOf: (name) => (found.get(name) ?? decoderOf(toBase64Text(Buffer.from(name)))).end(),
        isPlaceholder: (name) => found.has(name),
      };
    },
  };
}

function decoderOf(text: Buffer): Base64Decoder {
  const decoder = createBase64Decoder();
  decoder.push(text);
  return decoder;
}

/** Returns the base64 of a data URL, and any other text unchanged. */
function withoutDataUrlPrefix(text: Buffer): Buffer {
  const prefix = DATA_URL.exec(text.toString('latin1', 0, MAX_PREFIX_BYTES));
  return prefix ? text.subarray(prefix[0].length) : text;
}

/** Removes the escapes from the next part of a JSON string that contains base64. */
type SlashUnescaper = (part: Buffer) => Buffer;

/**
 * Creates an unescaper for `\/`, the only escape that valid base64 can contain: some writers escape the slash, which is
 * a base64 digit. Any other escape keeps its backslash and therefore makes the base64 invalid.
 */
function createSlashUnescaper(): SlashUnescaper {
  // A backslash at the end of the previous part, whose escaped character has not arrived yet.
  let open = '';
  return (part) => {
    if (open === '' && !part.includes(BACKSLASH)) return part;
    const text = open + part.toString('latin1');
    open = text.endsWith('\\') ? '\\' : '';
    const unescaped = text.slice(0, text.length - open.length).replaceAll('\\/', '/');
    return Buffer.from(unescaped, 'latin1');
  };
}
