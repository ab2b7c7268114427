import type { HttpClient } from '../../lib/net/http-client.ts';
import { readWhole } from '../../lib/net/response-body.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import { linkSignal } from '../../lib/platform/linked-signal.ts';

const REPLY_MS = 5000;
const MAX_BODY_BYTES = 65_536;

/** The body of a successful reply to `GET`; undefined for any other reply, for a failure and after five seconds. */
export async function getText(
  url: string,
  { client, clock, signal }: ProbeDeps,
): Promise<string | undefined> {
  const ending = linkSignal(signal);
  const cancel = clock.after(REPLY_MS, () => ending.abort(new Error('no reply in time')));
  try {
    const request = { method: 'GET', headers: {}, signal: ending.signal } as const;
    const { status, body } = await client.request(url, request);
    const bytes = await readWhole(body, MAX_BODY_BYTES);
    return status === 200 ? bytes?.toString('utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    cancel();
    ending.end();
  }
}

export interface ProbeDeps {
  readonly client: Pick<HttpClient, 'request'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly signal: AbortSignal;
}
