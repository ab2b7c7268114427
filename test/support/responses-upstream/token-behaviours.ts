import type { Tokens } from './login.ts';

type Headers = Readonly<Record<string, string>>;

/** One checked refresh, and the functions that a behaviour may use for it. */
export interface RefreshInFlight {
  /** Exchanges the refresh token, which then is no longer valid unless it is kept. Throws `Refusal` if it is not valid. */
  readonly redeem: (options?: { readonly keepsRefreshToken: boolean }) => Tokens;
  readonly reply: (status: number, body: unknown, headers?: Headers) => void;
  /** Waits. Rejects after the client disconnects. */
  readonly wait: (delayMs: number) => Promise<void>;
  readonly cut: (how: 'close' | 'reset') => void;
  readonly silenceMs: number;
}

interface TokenBehaviour<Name extends string = string> {
  readonly name: Name;
  readonly about: string;
  /** Replies to the refresh. It may throw `Refusal` or reject with it. */
  readonly run: (inFlight: RefreshInFlight) => void | Promise<void>;
}

const SLOW_MS = 500;
const TEXT = 'text of the token endpoint that is never passed on';

const ROWS = [
  row('succeed', 'a new set of tokens', (inFlight) => inFlight.reply(200, inFlight.redeem())),
  row('slow', `a new set after ${SLOW_MS} ms`, async (inFlight) => {
    await inFlight.wait(SLOW_MS);
    inFlight.reply(200, inFlight.redeem());
  }),
  row('keeps-refresh-token', 'a new set; the refresh token remains valid', (inFlight) => {
    const { refresh_token: _, ...others } = inFlight.redeem({ keepsRefreshToken: true });
    inFlight.reply(200, others);
  }),
  row('access-token-only', 'an access token; the refresh token remains valid', (inFlight) => {
    const { access_token } = inFlight.redeem({ keepsRefreshToken: true });
    inFlight.reply(200, { access_token });
  }),
  row('more-members', 'a new set with unknown members', (inFlight) => {
    inFlight.reply(200, { ...inFlight.redeem(), expires_in: 3600, scope: 'openid' });
  }),

  ...(['expired', 'reused', 'invalidated'] as const).map((fault) =>
    row(`refused=${fault}`, `401 refresh_token_${fault}`, (inFlight) =>
      inFlight.reply(401, refusalOf(`refresh_token_${fault}`)),
    ),
  ),
  row('refused=other', '401 with an unknown code', (inFlight) =>
    inFlight.reply(401, refusalOf('a_code_from_tomorrow')),
  ),
  row('refused=invalid_grant', '400 invalid_grant, in the form of OAuth', (inFlight) =>
    inFlight.reply(400, { error: 'invalid_grant', error_description: TEXT }),
  ),
  row('refused=invalid_grant,nested', '400 invalid_grant, in the form of the backend', (inFlight) =>
    inFlight.reply(400, refusalOf('invalid_grant')),
  ),
  row('status=400', 'a 400 for another reason', (inFlight) =>
    inFlight.reply(400, refusalOf('invalid_request')),
  ),
  ...([403, 404, 408, 429, 500, 502, 503] as const).map((status) =>
    row(`status=${status}`, `a plain ${status}`, (inFlight) =>
      inFlight.reply(status, refusalOf('server_error')),
    ),
  ),
  row('redirect', 'points to another path of this server', (inFlight) =>
    inFlight.reply(307, '', { location: '/elsewhere' }),
  ),

  row('html', 'a page', (inFlight) => inFlight.reply(200, `<!doctype html><p>${TEXT}</p>`)),
  row('empty', 'an empty object', (inFlight) => inFlight.reply(200, {})),
  row('null-tokens', 'tokens that are null', (inFlight) =>
    inFlight.reply(200, { id_token: null, access_token: null, refresh_token: null }),
  ),
  row('huge', '20 MB of JSON', (inFlight) =>
    inFlight.reply(200, { access_token: 'x'.repeat(20_000_000) }),
  ),
  row('hang', 'nothing for a while, then a close', async (inFlight) => {
    await inFlight.wait(inFlight.silenceMs);
    inFlight.cut('close');
  }),
  row('reset', 'a reset; the token was not used', (inFlight) => inFlight.cut('reset')),
  row('lost', 'a reset after the token was used', (inFlight) => {
    inFlight.redeem();
    inFlight.cut('reset');
  }),
] as const;

export type TokenBehaviourName = (typeof ROWS)[number]['name'];

/** All behaviours of the token endpoint by name. */
export const TOKEN_BEHAVIOURS: ReadonlyMap<string, TokenBehaviour> = new Map(
  ROWS.map((one) => [one.name, one]),
);

function row<const Name extends string>(
  name: Name,
  about: string,
  run: TokenBehaviour['run'],
): TokenBehaviour<Name> {
  return { name, about, run };
}

function refusalOf(code: string) {
  return { error: { message: TEXT, type: 'invalid_request_error', param: null, code } };
}
