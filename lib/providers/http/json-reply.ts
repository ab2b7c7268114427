import { type HttpBody, withoutKeeping } from '../../net/response-body.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import { createJsonReader, type StreamedJson } from './streamed-json.ts';

interface Options {
  /** Maximum length of the body in bytes, with its images. */
  readonly maxBytes: number;
  readonly slices: TimeSlices;
  readonly signal: AbortSignal;
}

// The text of a reply without its images.
const MAX_TEXT_BYTES = 1024 * 1024;

/**
 * Reads a body that is one JSON value, in slices of the event loop. Images may be data URLs. Resolves with undefined if
 * the body is not JSON or is too long. Rejects if the connection is lost, and with the signal's reason if the signal aborts.
 */
export async function readJsonReply(
  body: HttpBody,
  { maxBytes, slices, signal }: Options,
): Promise<StreamedJson | undefined> {
  const reader = createJsonReader(MAX_TEXT_BYTES, { readsDataUrls: true });
  let bytes = 0;
  // Leaving the loop destroys the body.
  for await (const chunk of withoutKeeping(body)) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    if (!(await slices.runStep(() => reader.push(chunk), signal))) return undefined;
  }
  return slices.runStep(reader.end, signal);
}
