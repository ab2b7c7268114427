import type { Tokens } from './login.ts';

type Headers = Readonly<Record<string, string>>;

/** One checked refresh and all that a behaviour may do with it. */
export interface TokenExchange {
  /** Trades the refresh token, which is used up then unless it is kept. Throws `Refusal` when it is not good. */
  readonly redeem: (options?: { readonly keepsRefreshToken: boolean }) => Tokens;
  readonly reply: (status: number, body: unknown, headers?: Headers) => void;
  /** Rejects once the client has left. */
  readonly wait: (delayMs: number) => Promise<void>;
  readonly cut: (how: 'close' | 'reset') => void;
  readonly silenceMs: number;
}

interface TokenBehaviour<Name extends string = string> {
  readonly name: Name;
  readonly tells: string;
  /** May throw `Refusal` or reject with it. */
  readonly run: (exchange: TokenExchange) => void | Promise<void>;
}

const SLOW_MS = 500;
const TEXT = 'words of the token endpoint that nobody passes on';

const ROWS = [
  row('succeed', 'a new set of tokens', (exchange) => exchange.reply(200, exchange.redeem())),
  row('slow', `a new set after ${SLOW_MS} ms`, async (exchange) => {
    await exchange.wait(SLOW_MS);
    exchange.reply(200, exchange.redeem());
  }),
  row(
    'keeps-refresh-token',
    'a new set but for the refresh token, which stays good',
    (exchange) => {
      const { refresh_token: _, ...others } = exchange.redeem({ keepsRefreshToken: true });
      exchange.reply(200, others);
    },
  ),
  row('access-token-only', 'an access token; the refresh token stays good', (exchange) => {
    const { access_token } = exchange.redeem({ keepsRefreshToken: true });
    exchange.reply(200, { access_token });
  }),
  row('more-members', 'a new set with members that nobody knows', (exchange) => {
    exchange.reply(200, { ...exchange.redeem(), expires_in: 3600, scope: 'openid' });
  }),

  ...(['expired', 'reused', 'invalidated'] as const).map((fault) =>
    row(`refused=${fault}`, `401 refresh_token_${fault}`, (exchange) =>
      exchange.reply(401, refusalOf(`refresh_token_${fault}`)),
    ),
  ),
  row('refused=other', '401 with an unknown code', (exchange) =>
    exchange.reply(401, refusalOf('a_code_from_tomorrow')),
  ),
  row('refused=invalid_grant', '400 invalid_grant, as OAuth words it', (exchange) =>
    exchange.reply(400, { error: 'invalid_grant', error_description: TEXT }),
  ),
  row('refused=invalid_grant,nested', '400 invalid_grant, as the backend words it', (exchange) =>
    exchange.reply(400, refusalOf('invalid_grant')),
  ),
  row('status=400', 'a 400 for another reason', (exchange) =>
    exchange.reply(400, refusalOf('invalid_request')),
  ),
  ...([403, 404, 408, 429, 500, 502, 503] as const).map((status) =>
    row(`status=${status}`, `a plain ${status}`, (exchange) =>
      exchange.reply(status, refusalOf('server_error')),
    ),
  ),
  row('redirect', 'points to another path of this server', (exchange) =>
    exchange.reply(307, '', { location: '/elsewhere' }),
  ),

  row('html', 'a page', (exchange) => exchange.reply(200, `<!doctype html><p>${TEXT}</p>`)),
  row('empty', 'an empty object', (exchange) => exchange.reply(200, {})),
  row('null-tokens', 'tokens that are null', (exchange) =>
    exchange.reply(200, { id_token: null, access_token: null, refresh_token: null }),
  ),
  row('huge', '20 MB of JSON', (exchange) =>
    exchange.reply(200, { access_token: 'x'.repeat(20_000_000) }),
  ),
  row('hang', 'nothing for a while, then a close', async (exchange) => {
    await exchange.wait(exchange.silenceMs);
    exchange.cut('close');
  }),
  row('reset', 'a reset; the token was not used', (exchange) => exchange.cut('reset')),
  row('lost', 'a reset after the token was used', (exchange) => {
    exchange.redeem();
    exchange.cut('reset');
  }),
] as const;

export type TokenBehaviourName = (typeof ROWS)[number]['name'];

/** Every way to answer a refresh, by name. */
export const TOKEN_BEHAVIOURS: ReadonlyMap<string, TokenBehaviour> = new Map(
  ROWS.map((one) => [one.name, one]),
);

function row<const Name extends string>(
  name: Name,
  tells: string,
  run: TokenBehaviour['run'],
): TokenBehaviour<Name> {
  return { name, tells, run };
}

function refusalOf(code: string) {
  return { error: { message: TEXT, type: 'invalid_request_error', param: null, code } };
}
