import * as v from 'valibot';
import { Liveness } from '../../lib/contract/resources/health.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { linkSignal } from '../../lib/platform/linked-signal.ts';

const TIMEOUT_MS = 2000;

/** Whether a bridge serves at this address. */
export async function isLive(address: string, signal: AbortSignal): Promise<boolean> {
  const link = linkSignal(signal);
  const cancel = systemClock.after(TIMEOUT_MS, () => link.abort(new Error('no reply in time')));
  try {
    const reply = await fetch(`${address}/health/live`, { redirect: 'error', signal: link.signal });
    return v.is(Liveness, await reply.json());
  } catch {
    return false;
  } finally {
    cancel();
    link.end();
  }
}
