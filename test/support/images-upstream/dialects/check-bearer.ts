import { Refusal } from '../../upstream/refusal.ts';
import type { Account, Head } from './dialect.ts';

/** Throws `Refusal` unless the request has the key as a bearer token. A server without keys accepts every request. */
export function checkBearer({ headers }: Head, { key }: Account): void {
  if (key === undefined || headers.authorization === `Bearer ${key}`) return;
  throw new Refusal({
    status: 401,
    code: 'invalid_api_key',
    message: `Incorrect API key provided: ${headers.authorization ?? ''}`,
  });
}

/** Throws `Refusal` if the header names an account other than that of the key. */
export function checkAccount({ headers }: Head, { organization, project }: Account): void {
  if (headers['openai-organization'] !== organization) {
    throw new Refusal({ status: 401, code: 'invalid_organization', message: 'no such account' });
  }
  if (headers['openai-project'] !== project) {
    throw new Refusal({ status: 401, code: 'invalid_project', message: 'no such project' });
  }
}
