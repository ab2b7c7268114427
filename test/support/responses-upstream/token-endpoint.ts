import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import { type Clock, sleep } from '../../../lib/platform/clock.ts';
import { disconnectSignal } from '../upstream/disconnect-signal.ts';
import { readBody } from '../upstream/read-body.ts';
import { Refusal, refusalBody } from '../upstream/refusal.ts';
import { checkJson } from './check-head.ts';
import type { Login, Tokens } from './login.ts';
import { TOKEN_BEHAVIOURS, type TokenBehaviourName } from './token-behaviours.ts';

/** One request for new tokens. */
export interface Refresh {
  readonly behaviour: string;
  /** True if new tokens were issued, even if the client did not receive them. */
  readonly hasIssued: boolean;
}

interface Deps {
  readonly clock: Clock;
  readonly login: Login;
  readonly silenceMs: number;
  readonly onFailure: (error: unknown) => void;
  readonly onChange: () => void;
}

/** A request with exactly the members that the client of the agent sends. */
const RefreshRequest = v.strictObject({
  client_id: v.literal('app_EMoamEEZ73f0CkXaXp7hrann'),
  grant_type: v.literal('refresh_token'),
  refresh_token: v.pipe(v.string(), v.nonEmpty()),
});

/** Creates `POST /oauth/token`, which exchanges each refresh token once. */
export function createTokenEndpoint({ clock, login, silenceMs, onFailure, onChange }: Deps) {
  const queue: TokenBehaviourName[] = [];
  const refreshes: Refresh[] = [];

  return {
    refreshes: (): readonly Refresh[] => refreshes,
    script(names: readonly TokenBehaviourName[]): void {
      queue.push(...names);
    },

    async reply(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
      const signal = disconnectSignal(response);
      try {
        checkJson(incoming.headers);
        const { refresh_token } = parseRefresh(await readBody(incoming));
        const behaviour = TOKEN_BEHAVIOURS.get(queue.shift() ?? 'succeed');
        const index = refreshes.push({ behaviour: behaviour?.name ?? '', hasIssued: false }) - 1;
        onChange();
        await behaviour?.run({
          silenceMs,
          redeem: (options) => redeem(refresh_token, index, options?.keepsRefreshToken),
          reply: (status, body, headers) => reply(response, status, body, headers),
          wait: (delayMs) => sleep(clock, delayMs, signal),
          cut: (how) => cut(incoming, how),
        });
      } catch (error) {
        if (error instanceof Refusal) reply(response, error.status, refusalBody(error));
        else if (!signal.aborted && incoming.complete) onFailure(error);
      }
    },
  };

  function redeem(refreshToken: string, index: number, isKept = false): Tokens {
    const traded = login.redeem(refreshToken, isKept);
    if (typeof traded === 'string') {
      const code = `refresh_token_${traded === 'unknown' ? 'invalidated' : traded}`;
      throw new Refusal({ status: 401, code, message: 'the refresh token is not valid' });
    }
    const before = refreshes[index];
    if (before) refreshes[index] = { ...before, hasIssued: true };
    onChange();
    return traded;
  }
}

function parseRefresh(body: Buffer): v.InferOutput<typeof RefreshRequest> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), RefreshRequest), body.toString());
  if (parsed.success) return parsed.output;
  const param = v.getDotPath(parsed.issues[0]) ?? undefined;
  throw new Refusal({ status: 400, code: 'invalid_request', message: 'not a refresh', param });
}

function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const isText = typeof body === 'string';
  const type = isText ? 'text/html; charset=utf-8' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

function cut({ socket }: IncomingMessage, how: 'close' | 'reset'): void {
  if (how === 'reset') socket.resetAndDestroy();
  else socket.destroy();
}
