import { type HttpBody, withoutKeeping } from '../../net/response-body.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import { afterOutputBegan, unknownOutcome } from '../failed-calls.ts';
import { createJsonReader, type StreamedJson } from './streamed-json.ts';

/** Limits of one response in bytes: of one line or event, and of the whole stream. */
export interface StreamLimits {
  readonly maxEventBytes: number;
  readonly maxStreamBytes: number;
}

/** Reason why a stream cannot be read any further. */
type StreamFault = 'event_too_long' | 'stream_too_long' | 'not_json';

/** Maximum number of bytes of an event without its images. */
const MAX_TEXT_BYTES = 1024 * 1024;

type OpenStreamReader = typeof createSseReader;

const NEWLINE = Buffer.from('\n');

/** Returns the limits for images of at most `maxEncodedBytes` bytes. Base64 encodes three bytes as four. */
export function streamLimits(maxEncodedBytes: number): StreamLimits {
  const maxEventBytes = Math.ceil((maxEncodedBytes * 4) / 3) + MAX_TEXT_BYTES;
  return { maxEventBytes, maxStreamBytes: maxEventBytes * 3 };
}

/**
 * Creates a reader of server-sent events (WHATWG HTML, section 9.2) whose data is JSON. Calls `onEvent` for each complete
 * event. Ignores the `event` field because the JSON contains its own type. `expectedImage` returns the image that is likely
 * to be sent again.
 */
export function createSseReader(
  { maxEventBytes, maxStreamBytes }: StreamLimits,
  onEvent: (data: StreamedJson) => void,
  expectedImage?: () => Buffer | undefined,
) {
  const data = createJsonReader(MAX_TEXT_BYTES, expectedImage && { expectedImage });
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
      // Line feeds join the data lines of one event. A line feed after the last line is valid JSON white space.
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

  const split = createLineSplitter(linePart, endLine);

  return {
    /** Reads the next chunk. Returns a fault if the stream cannot be read any further. */
    push(chunk: Buffer): StreamFault | undefined {
      streamBytes += chunk.length;
      if (streamBytes > maxStreamBytes) fault ??= 'stream_too_long';
      if (!fault) split(chunk);
      return fault;
    },
    /** Ends the stream. Returns a fault if a limit was exceeded. Data after the last blank line is not an event. */
    end: (): StreamFault | undefined => fault,
  };
}

interface Deps {
  readonly limits: StreamLimits;
  readonly slices: TimeSlices;
  readonly clock: Pick<Clock, 'after'>;
  readonly openReader?: OpenStreamReader;
}

/** Reduces one stream of events to a result. */
export interface EventConsumer<T> {
  /** Processes the next event. Throwing ends the stream. */
  take(event: StreamedJson): void;
  /** Returns true if later events cannot change the outcome. */
  isComplete(): boolean;
  /**
   * Returns the image that is likely to be sent again. If the same image arrives again, both copies share their memory. Returns
   * undefined if there is none.
   */
  expectedImage(): Buffer | undefined;
  /** Returns true once output has begun, usable or not. From then on the call may be charged, even if it fails. */
  hasBegun(): boolean;
  /** Returns the result at the end of the stream. Throws if the stream has no result. */
  result(): T;
}

// Wait for the end of a complete response, which usually follows at once, so that the connection can be reused.
const LINGER_MS = 50;

/** Reads streams of events in slices of the event loop, so that many concurrent streams do not delay other work. */
export function createEventStreams({ limits, slices, clock, openReader = createSseReader }: Deps) {
  async function readAll<T>(
    body: HttpBody,
    consumer: EventConsumer<T>,
    signal: AbortSignal,
  ): Promise<void> {
    const reader = openReader(limits, consumer.take, consumer.expectedImage);
    let stopLingering = () => {};
    const step = (read: () => StreamFault | undefined) =>
      slices.runStep(() => {
        const fault = read();
        if (fault && !consumer.isComplete()) throw unknownOutcome(fault);
      }, signal);
    try {
      for await (const chunk of withoutKeeping(body)) {
        if (consumer.isComplete()) continue;
        await step(() => reader.push(chunk));
        if (consumer.isComplete()) stopLingering = clock.after(LINGER_MS, () => body.destroy());
      }
      if (!consumer.isComplete()) await step(reader.end);
    } catch (thrown) {
      // A connection that breaks after the complete response does not change the outcome.
      if (!consumer.isComplete()) throw thrown;
    } finally {
      stopLingering();
    }
  }

  return {
    /**
     * Reads until the consumer is complete or the stream ends, and resolves with the result. Closes the connection
     * unless the stream has ended. Throws `protocol` with the effect `unknown` if the stream exceeds its limits or is
     * not JSON. A failure after output has begun has the effect `unknown` or `made`.
     */
    async read<T>(body: HttpBody, consumer: EventConsumer<T>, signal: AbortSignal): Promise<T> {
      try {
        await readAll(body, consumer, signal);
        return consumer.result();
      } catch (thrown) {
        signal.throwIfAborted();
        throw consumer.hasBegun() ? afterOutputBegan(thrown) : thrown;
      }
    },
  };
}

export type EventStreams = ReturnType<typeof createEventStreams>;

const OPENING_BRACE = 0x7b;
const LESS_THAN = 0x3c;
const BLANKS: readonly number[] = [0x20, 0x0a, 0x0d, 0x09];

/**
 * Reads a reply that is either one JSON object or a stream of events. The first byte decides the form of the reply,
 * regardless of the form that was requested. The object counts as one event whose length is limited by
 * `maxStreamBytes`.
 */
export const createReplyReader: OpenStreamReader = (limits, onEvent, expectedImage) => {
  const events = createSseReader(limits, onEvent, expectedImage);
  const json = createJsonReader(MAX_TEXT_BYTES);
  let framing: 'unknown' | 'json' | 'events' | 'neither' = 'unknown';
  let fault: StreamFault | undefined;
  let bytes = 0;

  function pushJson(chunk: Buffer): StreamFault | undefined {
    bytes += chunk.length;
    if (bytes > limits.maxStreamBytes) fault ??= 'stream_too_long';
    if (!fault && !json.push(chunk)) fault = 'event_too_long';
    return fault;
  }

  return {
    push(chunk) {
      if (framing === 'unknown') framing = framingOf(chunk);
      if (framing === 'neither') return 'not_json';
      return framing === 'json' ? pushJson(chunk) : events.push(chunk);
    },

    end() {
      if (framing !== 'json' || fault) return fault;
      const value = json.end();
      if (value) onEvent(value);
      return value ? undefined : 'not_json';
    },
  };
};

/**
 * Returns the form of a reply. White space may come first because some servers send it to keep the connection alive. An
 * HTML page begins with a tag.
 */
function framingOf(chunk: Buffer): 'unknown' | 'json' | 'events' | 'neither' {
  const first = chunk.find((byte) => !BLANKS.includes(byte));
  if (first === undefined) return 'unknown';
  if (first === LESS_THAN) return 'neither';
  return first === OPENING_BRACE ? 'json' : 'events';
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Splits chunks into lines that end with LF, CR or CRLF. A line or its ending may span chunks. `onPart` receives the bytes
 * of a line in one or more parts, and `onEnd` ends the line, which may be empty. Copies no bytes.
 */
function createLineSplitter(onPart: (bytes: Buffer) => void, onEnd: () => void) {
  let afterCr = false;
  return (chunk: Buffer): void => {
    // Skip the LF of a CRLF that was split between two chunks.
    let at = afterCr && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) afterCr = false;
    // The position is cached because searching for the next LF after every CR would take quadratic time.
    let lf = -1;
    while (at < chunk.length) {
      if (lf < at) lf = indexOfByte(LF, chunk, at, chunk.length);
      const end = indexOfByte(CR, chunk, at, lf);
      if (end > at) onPart(chunk.subarray(at, end));
      if (end === chunk.length) return;
      onEnd();
      const isCr = chunk[end] === CR;
      at = end + (isCr && chunk[end + 1] === LF ? 2 : 1);
      afterCr = isCr && at === chunk.length && chunk[at - 1] === CR;
    }
  };
}

/** Returns the index of the first occurrence of `byte` between `from` and `to`, or `to` if there is none. */
function indexOfByte(byte: number, chunk: Buffer, from: number, to: number): number {
  const found = chunk.subarray(from, to).indexOf(byte);
  return found === -1 ? to : from + found;
}

const SPACE = 0x20;
const DATA = 'data:';
// A byte order mark as Latin-1 characters, one for each byte.
const BOM = '\xef\xbb\xbf';

/** Extracts the values of `data:` lines (WHATWG HTML, section 9.2.6), which may arrive in parts. Skips other fields. */
function createDataField(onValue: (part: Buffer) => void) {
  let name = '';
  let state: 'name' | 'space' | 'value' | 'other' = 'name';
  let isFirstLine = true;

  return {
    part(bytes: Buffer): void {
      let at = 0;
      while (state === 'name' && at < bytes.length) {
        name += String.fromCharCode(bytes[at] ?? 0);
        at += 1;
        if (isFirstLine && name === BOM) name = '';
        if (name.length === DATA.length) state = name === DATA ? 'space' : 'other';
      }
      if (state === 'space' && at < bytes.length) {
        if (bytes[at] === SPACE) at += 1;
        state = 'value';
      }
      if (state === 'value' && at < bytes.length) onValue(bytes.subarray(at));
    },

    /** Ends the line and returns its kind. */
    end(): 'blank' | 'data' | 'other' {
      const isData = state === 'value' || state === 'space' || name === 'data';
      const kind = isData ? 'data' : name === '' ? 'blank' : 'other';
      name = '';
      state = 'name';
      isFirstLine = false;
      return kind;
    },
  };
}
