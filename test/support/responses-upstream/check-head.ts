import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../upstream/refusal.ts';
import type { Login } from './login.ts';

/** Checks the headers of a call as a strict backend does. Throws `Refusal` if one of them is invalid. */
export function checkHead(headers: IncomingHttpHeaders, login: Login, originator: string): void {
  checkAccount(headers, login);
  if (headers['originator'] !== originator) throw badHeader('originator', 'is unknown');
  if (headers.accept !== 'text/event-stream')
    throw badHeader('accept', 'must be text/event-stream');
  checkJson(headers);
}

/** Throws `Refusal` unless the headers have the current token of the account. */
export function checkAccount(headers: IncomingHttpHeaders, login: Login): void {
  checkAuthorization(headers.authorization, login);
  if (headers['chatgpt-account-id'] !== login.account.accountId) {
    throw badHeader('chatgpt-account-id', 'names another account');
  }
}

/** Throws `Refusal` unless the headers declare plain JSON. */
export function checkJson(headers: IncomingHttpHeaders): void {
  if (!/^application\/json\s*(;\s*charset=utf-8)?$/i.test(headers['content-type'] ?? '')) {
    throw badHeader('content-type', 'must be JSON');
  }
  if (headers['content-encoding'] !== undefined) {
    throw badHeader('content-encoding', 'is not supported');
  }
}

function checkAuthorization(header: string | undefined, login: Login): void {
  const token = /^Bearer (\S+)$/.exec(header ?? '')?.[1];
  const state = token === undefined ? 'missing' : login.checkAccess(token);
  if (state === 'current') return;
  throw new Refusal({
    status: 401,
    code: `token_${state}`,
    message: 'the access token is not valid',
    param: 'authorization',
  });
}

function badHeader(name: string, what: string): Refusal {
  return new Refusal({
    status: 400,
    code: 'invalid_header',
    message: `${name} ${what}`,
    param: name,
  });
}
