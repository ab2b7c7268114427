import {
  createSseReader,
  MAX_TEXT_BYTES,
  type OpenStreamReader,
  type StreamFault,
} from './sse-reader.ts';
import { createJsonReader } from './streamed-json.ts';

const OPENING_BRACE = 0x7b;
const LESS_THAN = 0x3c;

/**
 * Reads a reply that is one JSON object or a stream of events, whichever was asked for: its first byte says which. The
 * object is one event; its length is bounded by `maxStreamBytes`.
 */
export const createReplyReader: OpenStreamReader = (limits, onEvent, knownBytes) => {
  const events = createSseReader(limits, onEvent, knownBytes);
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

/** White space may come first: some servers send it to keep the connection alive. A page begins with a tag. */
function framingOf(chunk: Buffer): 'unknown' | 'json' | 'events' | 'neither' {
  const first = chunk.find((byte) => !isBlank(byte));
  if (first === undefined) return 'unknown';
  if (first === LESS_THAN) return 'neither';
  return first === OPENING_BRACE ? 'json' : 'events';
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
