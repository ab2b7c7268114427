import { SessionBinding, SessionPath, SessionQuery } from '../../lib/contract/resources/session.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/sessions/{key}: returns the thread of a session key. Throws `session_not_found`. */
export const handler = operation<'sessions'>()({
  id: 'getSession',
  summary: 'Read the thread of a session',
  protection: 'read',
  request: { path: SessionPath, query: SessionQuery },
  reply: { status: 200, description: 'The session key and its thread.', body: SessionBinding },
  errors: ['session_not_found'],
  handle: async ({ path: { key }, query: { provider }, context: { scope }, services }) =>
    ok(await services.sessions.get({ scope, provider, key })),
});
