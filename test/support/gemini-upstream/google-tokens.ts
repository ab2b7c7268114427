import { generateKeyPairSync, verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import { type Clock, nowSecs } from '../../../lib/platform/clock.ts';
import type { Ids } from '../../../lib/platform/ids.ts';
import { readBody } from '../upstream/read-body.ts';
import { UPSTREAM_TEXT } from '../upstream/upstream-text.ts';

/** Replies of the token endpoint other than a token. */
const FAULTS = {
  refuse: { status: 400, body: { error: 'invalid_grant', error_description: UPSTREAM_TEXT } },
  unavailable: { status: 503, body: { error: 'unavailable' } },
  page: { status: 200, body: `<p>${UPSTREAM_TEXT}</p>` },
  huge: { status: 200, body: { access_token: 'x'.repeat(400_000), expires_in: 3600 } },
  'no-token': { status: 200, body: { token_type: 'Bearer', expires_in: 3600 } },
} as const;
export type TokenFault = keyof typeof FAULTS;

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
  /** URL of this endpoint. */
  readonly url: string;
  readonly lifeSecs: number;
  readonly onChange: () => void;
}

// Creating a key takes about a tenth of a second, so all emulators of a process share one key.
let made: ReturnType<typeof makeKey> | undefined;

function makeKey() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), publicKey };
}

const EMAIL = 'bridge@a-project.iam.gserviceaccount.com';
const KEY_ID = '0123456789abcdef';
const USER = {
  client_id: 'a-client.apps.googleusercontent.com',
  client_secret: 'a-made-up-secret',
  refresh_token: 'a-made-up-refresh-token',
};

/** The URL that Google's own clients name in their assertions. */
const GOOGLE = 'https://oauth2.googleapis.com/token';

const ServiceForm = v.strictObject({
  grant_type: v.literal('urn:ietf:params:oauth:grant-type:jwt-bearer'),
  assertion: v.string(),
});
const UserForm = v.strictObject({
  grant_type: v.literal('refresh_token'),
  client_id: v.literal(USER.client_id),
  client_secret: v.literal(USER.client_secret),
  refresh_token: v.literal(USER.refresh_token),
});

/** Creates a token endpoint of Google, which verifies the signature and the claims of each assertion. */
export function createGoogleTokens({ clock, ids, url, lifeSecs, onChange }: Deps) {
  made ??= makeKey();
  const { privateKey, publicKey } = made;
  const issued = new Map<string, number>();
  const grants: ('service_account' | 'authorized_user' | 'refused' | TokenFault)[] = [];
  const faults: TokenFault[] = [];

  const Claims = v.strictObject({
    iss: v.literal(EMAIL),
    aud: v.picklist([url, GOOGLE]),
    scope: v.literal('https://www.googleapis.com/auth/cloud-platform'),
    iat: v.pipe(
      v.number(),
      v.integer(),
      v.check((iat) => Math.abs(iat - nowSecs(clock)) < 300),
    ),
    exp: v.pipe(v.number(), v.integer()),
  });
  const Header = v.strictObject({
    alg: v.literal('RS256'),
    typ: v.optional(v.literal('JWT')),
    kid: v.optional(v.literal(KEY_ID)),
  });

  function isGenuine(assertion: string): boolean {
    const [header = '', claims = '', signature = '', ...more] = assertion.split('.');
    const signed = Buffer.from(`${header}.${claims}`);
    const isSigned = verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url'));
    const parsed = v.safeParse(Claims, parsePart(claims));
    return (
      more.length === 0 &&
      isSigned &&
      v.is(Header, parsePart(header)) &&
      parsed.success &&
      parsed.output.exp - parsed.output.iat <= 3600
    );
  }

  function grantOf(form: object): 'service_account' | 'authorized_user' | 'refused' {
    if (v.is(UserForm, form)) return 'authorized_user';
    return v.is(ServiceForm, form) && isGenuine(form.assertion) ? 'service_account' : 'refused';
  }

  return {
    /** The content of a credentials file. */
    serviceAccount: {
      type: 'service_account',
      project_id: 'a-project',
      private_key_id: KEY_ID,
      private_key: privateKey,
      client_email: EMAIL,
      token_uri: GOOGLE,
    },
    authorizedUser: { type: 'authorized_user', ...USER },
    /** The replies so far. */
    grants: (): readonly string[] => grants,
    /** Queues the faults of the next replies. */
    script: (...next: readonly TokenFault[]) => faults.push(...next),
    /** Makes all issued tokens invalid. */
    revoke: () => issued.clear(),
    isValid: (token: string) => (issued.get(token) ?? 0) > clock.nowMs(),

    async reply(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
      const body = await readBody(incoming);
      const isForm = incoming.headers['content-type']?.startsWith(
        'application/x-www-form-urlencoded',
      );
      const form = Object.fromEntries(new URLSearchParams(body.toString()));
      const fault = faults.shift();
      const grant = fault ?? (isForm ? grantOf(form) : 'refused');
      grants.push(grant);
      onChange();
      if (fault) return send(response, FAULTS[fault].status, FAULTS[fault].body);
      if (grant === 'refused') return send(response, 400, FAULTS.refuse.body);
      const token = `ya29.${ids.newOpaqueId()}`;
      issued.set(token, clock.nowMs() + lifeSecs * 1000);
      send(response, 200, { access_token: token, expires_in: lifeSecs, token_type: 'Bearer' });
    },
  };
}

function parsePart(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: object | string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
