import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { resolve } from 'node:path';
import * as v from 'valibot';
import { readRegularFile } from '../../platform/regular-file.ts';
import { isWritableByOthers } from './private-file.ts';

/** Credentials of Google Cloud, as `gcloud` and the console write them. */
export type GoogleCredentials =
  | {
      readonly type: 'service_account';
      readonly email: string;
      readonly keyId: string | undefined;
      readonly privateKey: KeyObject;
    }
  | {
      readonly type: 'authorized_user';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly refreshToken: string;
    };

export const GOOGLE_PROBLEMS = {
  absent: 'the file in `credentials_file` does not exist',
  unreadable: 'the file in `credentials_file` cannot be read',
  irregular: '`credentials_file` is not a regular file',
  too_large: 'the file in `credentials_file` is larger than 64 KiB',
  writable_by_others: 'the file in `credentials_file` is writable by its group or by others',
  unusable:
    'the file in `credentials_file` is neither the key of a service account nor a login of a user',
} as const;
export type GoogleProblem = keyof typeof GOOGLE_PROBLEMS;

const MAX_BYTES = 65_536;

const Text = v.pipe(v.string(), v.nonEmpty());
const CredentialsFile = v.variant('type', [
  v.object({
    type: v.literal('service_account'),
    client_email: Text,
    private_key: Text,
    private_key_id: v.optional(Text),
  }),
  v.object({
    type: v.literal('authorized_user'),
    client_id: Text,
    client_secret: Text,
    refresh_token: Text,
  }),
]);

/** Reads a file of credentials. Symbolic links are followed because mounted secrets are links. */
export async function readGoogleCredentials(
  path: string,
): Promise<GoogleCredentials | { readonly problem: GoogleProblem }> {
  const file = await readRegularFile(resolve(path), { maxBytes: MAX_BYTES });
  if ('problem' in file) return { problem: file.problem };
  if (isWritableByOthers(file.status)) return { problem: 'writable_by_others' };
  return parseCredentials(file.bytes) ?? { problem: 'unusable' };
}

/** Resolves with the reason why a file of credentials is unusable, as a sentence without a path, or with undefined. */
export async function findCredentialsProblem(path: string): Promise<string | undefined> {
  const found = await readGoogleCredentials(path);
  return 'problem' in found ? GOOGLE_PROBLEMS[found.problem] : undefined;
}

function parseCredentials(bytes: Buffer): GoogleCredentials | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), CredentialsFile), bytes.toString());
  if (!parsed.success) return undefined;
  const file = parsed.output;
  if (file.type === 'authorized_user') {
    const { type, client_id: clientId, client_secret: clientSecret } = file;
    return { type, clientId, clientSecret, refreshToken: file.refresh_token };
  }
  const privateKey = toPrivateKey(file.private_key);
  const { type, client_email: email, private_key_id: keyId } = file;
  return privateKey && { type, email, keyId, privateKey };
}

function toPrivateKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    // The error could describe the key.
    return undefined;
  }
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const LIFE_SECS = 3600;

/**
 * Returns the form that requests an access token (Google Cloud, "Using OAuth 2.0 for server to server applications").
 * `audience` is the URL of the token endpoint.
 */
export function tokenForm(
  credentials: GoogleCredentials,
  audience: string,
  nowSecs: number,
): URLSearchParams {
  if (credentials.type === 'authorized_user') {
    return new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
      refresh_token: credentials.refreshToken,
    });
  }
  const { email, keyId, privateKey } = credentials;
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) };
  const claims = {
    iss: email,
    aud: audience,
    iat: nowSecs,
    exp: nowSecs + LIFE_SECS,
    scope: SCOPE,
  };
  const signed = [header, claims].map((part) => toBase64Url(JSON.stringify(part))).join('.');
  const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64url');
  return new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: `${signed}.${signature}`,
  });
}

function toBase64Url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
