import { createDataField } from './sse-field.ts';
import { createLineSplitter } from './sse-lines.ts';
import { createJsonReader, type StreamedJson } from './streamed-json.ts';

/** Bounds of one response (providers.md): a line or event, and the whole stream. */
export interface StreamLimits {
  readonly maxEventBytes: number;
  readonly maxStreamBytes: number;
}

/** Why a stream cannot be read any further. */
export type StreamFault = 'event_too_long' | 'stream_too_long' | 'not_json';

/** What an event may say beside its images. */
export const MAX_TEXT_BYTES = 1024 * 1024;

/** Reads what arrives, chunk by chunk, under bounds. */
export interface StreamReader {
  /** Says what is wrong once the stream cannot be read on. */
  push(chunk: Buffer): StreamFault | undefined;
  /** The stream has ended. */
  end(): StreamFault | undefined;
}

/** `onEvent` is called for each complete event. `knownBytes` gives the image that is likely to come again. */
export type OpenStreamReader = (
  limits: StreamLimits,
  onEvent: (data: StreamedJson) => void,
  knownBytes?: () => Buffer | undefined,
) => StreamReader;

const NEWLINE = Buffer.from('\n');

/** The limits that follow from the largest image: base64 makes four bytes of three. */
export function streamLimits(maxEncodedBytes: number): StreamLimits {
  const maxEventBytes = Math.ceil((maxEncodedBytes * 4) / 3) + MAX_TEXT_BYTES;
  return { maxEventBytes, maxStreamBytes: maxEventBytes * 3 };
}

/**
 * Reads server-sent events (WHATWG HTML, 9.2) whose data is JSON, chunk by chunk under bounds. The `event` field is not
 * needed: the JSON names its own type.
 */
export const createSseReader: OpenStreamReader = (
  { maxEventBytes, maxStreamBytes },
  onEvent,
  knownBytes,
) => {
  const data = createJsonReader(MAX_TEXT_BYTES, knownBytes);
  let fault: StreamFault | undefined;
  let streamBytes = 0;
  let eventBytes = 0;
  let hasData = false;

  function take(part: Buffer): void {
    if (!data.push(part)) fault ??= 'event_too_long';
  }

  const field = createDataField(take);

  function linePart(part: Buffer): void {
    eventBytes += part.length;
    if (eventBytes > maxEventBytes) fault ??= 'event_too_long';
    if (!fault) field.part(part);
  }

  function endLine(): void {
    const kind = field.end();
    if (kind === 'data') {
      hasData = true;
      // The lines of one event are joined by line feeds, which JSON does not mind at its end.
      take(NEWLINE);
    }
    if (kind !== 'blank' || fault) return;
    if (hasData) {
      const event = data.end();
      if (event) onEvent(event);
      else fault = 'not_json';
    }
    hasData = false;
    eventBytes = 0;
  }

  const split = createLineSplitter({ part: linePart, end: endLine });

  return {
    push(chunk) {
      streamBytes += chunk.length;
      if (streamBytes > maxStreamBytes) fault ??= 'stream_too_long';
      if (!fault) split(chunk);
      return fault;
    },
    // What follows the last blank line is no event.
    end: () => fault,
  };
};
