import * as v from 'valibot';
import { Liveness, Ready } from '../../lib/contract/resources/diagnostics.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { linkSignal } from '../../lib/platform/linked-signal.ts';

const TIMEOUT_MS = 2000;

/** Resolves with true if a bridge replies at this address. */
export function isLive(address: string, signal: AbortSignal): Promise<boolean> {
  return hasReply(`${address}/health/live`, Liveness, signal);
}

/** Resolves with true if the bridge at this address is ready for image requests. */
export function isReady(address: string, signal: AbortSignal): Promise<boolean> {
  return hasReply(`${address}/health/ready`, Ready, signal);
}

async function hasReply(
  url: string,
  reply: typeof Liveness | typeof Ready,
  signal: AbortSignal,
): Promise<boolean> {
  const link = linkSignal(signal);
  const cancel = systemClock.after(TIMEOUT_MS, () => link.abort(new Error('no reply in time')));
  try {
    const response = await fetch(url, { redirect: 'error', signal: link.signal });
    return v.is(reply, await response.json());
  } catch {
    return false;
  } finally {
    cancel();
    link.end();
  }
}
