import { Refusal } from '../../upstream/refusal.ts';
import type { Account, Head } from './dialect.ts';

/** Throws `Refusal` unless the request presents the key as a bearer token. A server without keys takes everything. */
export function checkBearer({ headers }: Head, { key }: Account): void {
  if (key === undefined || headers.authorization === `Bearer ${key}`) return;
  throw new Refusal({
    status: 401,
    code: 'invalid_api_key',
    message: `Incorrect API key provided: ${headers.authorization ?? ''}`,
  });
}

/** Throws `Refusal` where the head names another account than the key's. */
export function checkAccount({ headers }: Head, { organization, project }: Account): void {
  if (headers['openai-organization'] !== organization) {
    throw new Refusal({ status: 401, code: 'invalid_organization', message: 'no such account' });
  }
  if (headers['openai-project'] !== project) {
    throw new Refusal({ status: 401, code: 'invalid_project', message: 'no such project' });
  }
}
