import { type HttpBody, readWhole } from '../../net/response-body.ts';
import type { Clock } from '../../platform/clock.ts';
import { parseBounded } from './bounded-json.ts';

// The body of an error is usually one or two lines and arrives with the headers.
const MAX_BYTES = 65_536;
const TIMEOUT_MS = 2000;
const BOUNDS = { maxNames: 2048, maxNested: 2048 };

/**
 * Reads the JSON body of an error response. Resolves with undefined if the body is not JSON, is longer than 64 KiB,
 * takes longer than two seconds or is incomplete; the status is then the only description of the failure.
 */
export async function readErrorBody(body: HttpBody, clock: Pick<Clock, 'after'>): Promise<unknown> {
  const stopWaiting = clock.after(TIMEOUT_MS, () => body.destroy());
  try {
    const bytes = await readWhole(body, MAX_BYTES);
    return bytes && parseBounded(bytes, BOUNDS);
  } catch {
    return undefined;
  } finally {
    stopWaiting();
  }
}
