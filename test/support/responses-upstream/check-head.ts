import type { IncomingHttpHeaders } from 'node:http';
import type { Login } from './login.ts';
import { Refusal } from './refusal.ts';

/** Checks the headers of a call as a strict backend does. Throws `Refusal`. */
export function checkHead(headers: IncomingHttpHeaders, login: Login, originator: string): void {
  checkAuthorization(headers.authorization, login);
  if (headers['chatgpt-account-id'] !== login.account.accountId) {
    throw badHeader('chatgpt-account-id', 'names another account');
  }
  if (headers['originator'] !== originator) throw badHeader('originator', 'is unknown');
  if (headers.accept !== 'text/event-stream') throw badHeader('accept', 'must ask for events');
  checkJson(headers);
}

/** Throws `Refusal` unless the body is said to be plain JSON. */
export function checkJson(headers: IncomingHttpHeaders): void {
  if (!/^application\/json\s*(;\s*charset=utf-8)?$/i.test(headers['content-type'] ?? '')) {
    throw badHeader('content-type', 'must be JSON');
  }
  if (headers['content-encoding'] !== undefined) {
    throw badHeader('content-encoding', 'is not understood');
  }
}

function checkAuthorization(header: string | undefined, login: Login): void {
  const token = /^Bearer (\S+)$/.exec(header ?? '')?.[1];
  const verdict = token === undefined ? 'missing' : login.judgeAccess(token);
  if (verdict === 'current') return;
  throw new Refusal({
    status: 401,
    code: `token_${verdict}`,
    message: 'the access token is not good',
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
