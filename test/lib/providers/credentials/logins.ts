import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

export interface Tokens {
  readonly id_token: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

export const ACCOUNT = 'acc-4f1d';

const HOUR_SECS = 3600;

/** Returns a JSON Web Token without a signature. */
export function unsignedJwt(claims: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.`;
}

/** Returns tokens that contain this number. The access token expires in `lifeSecs`. */
export function tokensOf(turn: number, lifeSecs = HOUR_SECS): Tokens {
  const account = { 'https://api.openai.com/auth': { chatgpt_account_id: ACCOUNT } };
  const exp = Math.floor(Date.now() / 1000) + lifeSecs;
  return {
    id_token: unsignedJwt({ ...account, turn }),
    access_token: unsignedJwt({ exp, turn }),
    refresh_token: `refresh-${turn}`,
  };
}

/** Returns the login file that the agent writes. */
export function loginOf(tokens: object): Record<string, unknown> {
  return {
    auth_mode: 'chatgpt',
    OPENAI_API_KEY: null,
    tokens: { ...tokens, account_id: ACCOUNT },
    last_refresh: '2026-01-02T03:04:05.678Z',
  };
}

/** Creates a new home for each test of the file and deletes it afterwards. */
export function temporaryHome() {
  let path = '';
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'image-bridge-login-'));
  });
  afterEach(() => {
    chmodSync(path, 0o700);
    rmSync(path, { recursive: true, force: true });
  });
  return {
    path: () => path,
    file: () => join(path, 'auth.json'),
    /** Writes in place as older agents do. */
    write(content: string | Buffer | object): void {
      const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
      writeFileSync(join(path, 'auth.json'), isRaw ? content : JSON.stringify(content), {
        mode: 0o600,
      });
    },
    read: () => JSON.parse(readFileSync(join(path, 'auth.json'), 'utf8')),
  };
}
