import { type Clock, sleep } from '../../../../lib/platform/clock.ts';
import type { ReceivedCall } from '../../upstream/run-call.ts';
import { UPSTREAM_TEXT } from '../../upstream/upstream-text.ts';

interface Deps {
  readonly clock: Clock;
  readonly silenceMs: number;
}

const ERRORS: Readonly<Record<string, { readonly status: number; readonly code: string }>> = {
  'status=400': { status: 400, code: 'invalid_value' },
  'status=400,moderation_blocked': { status: 400, code: 'moderation_blocked' },
  'status=401': { status: 401, code: 'token_expired' },
  'status=403': { status: 403, code: 'permission_denied' },
  'status=429': { status: 429, code: 'rate_limit_exceeded' },
  'status=500': { status: 500, code: 'server_error' },
};

/** Returns the failure that a prompt requests: `[[model:NAME]]` for model calls, `[[images:NAME]]` for the image endpoints. */
export function failureIn(prompt: string, endpoint: 'model' | 'images'): string | undefined {
  return new RegExp(`\\[\\[${endpoint}:([^\\]]+)\\]\\]`).exec(prompt)?.[1];
}

/**
 * Fails as named: with an error status, after a silence (`hang`), or by a reset of the connection (`cut`). Resolves with false
 * if the call still gets a reply.
 */
export async function sendFailure(
  { incoming, response, notify, signal }: ReceivedCall,
  name: string | undefined,
  { clock, silenceMs }: Deps,
): Promise<boolean> {
  if (name !== undefined) notify({ behaviour: name });
  const error = name === undefined ? undefined : ERRORS[name];
  if (error) {
    const body = { message: UPSTREAM_TEXT, type: 'error', param: null, code: error.code };
    response.writeHead(error.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: body }));
  } else if (name === 'hang') {
    notify({ isSilent: true });
    await sleep(clock, silenceMs, signal);
    notify({ isSilent: false });
  } else if (name === 'cut') {
    notify({ outcome: 'cut' });
    incoming.socket.resetAndDestroy();
  }
  return error !== undefined || name === 'cut';
}
