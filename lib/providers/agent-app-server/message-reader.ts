import { createJsonReader, type StreamedJson } from '../http/streamed-json.ts';

/** Why the output of the agent cannot be read any further. */
export type OutputFault = 'message_too_long' | 'not_json';

const LINE_FEED = 0x0a;

// What a message holds besides its images.
const MAX_TEXT_BYTES = 1024 * 1024;

/**
 * Reads one JSON message a line, chunk by chunk. A long string is decoded from base64 while it comes, and no message is held
 * as text. Bytes after the last line feed are no message.
 */
export function createMessageReader(
  maxMessageBytes: number,
  onMessage: (message: StreamedJson) => void,
) {
  const json = createJsonReader(MAX_TEXT_BYTES);
  let messageBytes = 0;
  let fault: OutputFault | undefined;

  function take(part: Buffer): void {
    messageBytes += part.length;
    if (messageBytes > maxMessageBytes || !json.push(part)) fault = 'message_too_long';
  }

  function endLine(): void {
    if (messageBytes === 0) return;
    messageBytes = 0;
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
