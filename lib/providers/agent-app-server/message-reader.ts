import { createJsonReader, type StreamedJson } from '../http/streamed-json.ts';

/** Why the output of the agent cannot be read any further. */
export type OutputFault = 'message_too_long' | 'not_json';

const LINE_FEED = 0x0a;
const OPENING_BRACE = 0x7b;
const BLANKS: readonly number[] = [0x20, 0x09, 0x0d];

// What a message holds besides its images.
const MAX_TEXT_BYTES = 1024 * 1024;

interface Receiver {
  readonly onMessage: (message: StreamedJson) => void;
  /** Called for each line that is no message, such as one that a wrapper of the agent prints when it starts. */
  readonly onSkippedLine: () => void;
}

/**
 * Reads one JSON message a line, chunk by chunk. A long string is decoded from base64 while it comes, and no message is held
 * as text. Bytes after the last line feed are no message. A line whose first character is no `{` is skipped. A line that
 * begins with `{` and is no JSON is a fault, because a message is lost then.
 */
export function createMessageReader(
  maxMessageBytes: number,
  { onMessage, onSkippedLine }: Receiver,
) {
  // The child lives on for any number of turns: only a single message has a limit.
  const json = createJsonReader(MAX_TEXT_BYTES, undefined, Number.POSITIVE_INFINITY);
  /** `blank` until a character shows what the line is. */
  let line: 'blank' | 'message' | 'skipped' = 'blank';
  let lineBytes = 0;
  let fault: OutputFault | undefined;

  function take(part: Buffer): void {
    lineBytes += part.length;
    if (line === 'blank') line = kindOf(part);
    const isTooLong = lineBytes > maxMessageBytes || (line === 'message' && !json.push(part));
    if (isTooLong) fault = 'message_too_long';
  }

  function endLine(): void {
    const ended = line;
    line = 'blank';
    lineBytes = 0;
    if (ended === 'skipped') onSkippedLine();
    if (ended !== 'message') return;
    const message = json.end();
    if (message) onMessage(message);
    else fault = 'not_json';
  }

  return {
    /** Calls `onMessage` for each message that `chunk` completes. Returns what is wrong once no more can be read. */
    push(chunk: Buffer): OutputFault | undefined {
      let start = 0;
      while (!fault && start < chunk.length) {
        const found = chunk.indexOf(LINE_FEED, start);
        const end = found === -1 ? chunk.length : found;
        if (end > start) take(chunk.subarray(start, end));
        if (found !== -1 && !fault) endLine();
        start = end + 1;
      }
      return fault;
    },
  };
}

function kindOf(part: Buffer): 'blank' | 'message' | 'skipped' {
  const first = part.find((byte) => !BLANKS.includes(byte));
  if (first === undefined) return 'blank';
  return first === OPENING_BRACE ? 'message' : 'skipped';
}
