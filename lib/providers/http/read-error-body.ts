import { readWhole } from '../../net/read-whole.ts';
import type { HttpBody } from '../../net/response-body.ts';
import type { Clock } from '../../platform/clock.ts';
import { parseBounded } from './bounded-json.ts';

// The body of an error is a line or two and comes with its head.
const MAX_BYTES = 65_536;
const TIMEOUT_MS = 2000;
const BOUNDS = { maxNames: 2048, maxNested: 2048 };

/**
 * The JSON in the body of an error response. Undefined when it is not JSON, longer than 64 KiB, not complete within two
 * seconds, or cut: the status alone then says what failed.
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
