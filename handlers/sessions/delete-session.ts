import { SessionPath, SessionQuery } from '../../lib/contract/resources/session.ts';
import { operation } from '../operation.ts';

/** DELETE /v1/sessions/{key}: deletes a session and its thread. Throws `session_not_found`, `session_busy`. */
export const handler = operation<'sessions'>()({
  id: 'deleteSession',
  summary: 'Delete a session and its thread',
  protection: 'images',
  request: { path: SessionPath, query: SessionQuery },
  reply: { status: 204, description: 'The session and its thread are deleted.' },
  errors: [
    'session_not_found',
    'session_busy',
    'provider_authentication',
    'overloaded',
    'upstream',
    'configuration',
  ],
  async handle({ path: { key }, query: { provider }, context, services }) {
    const { scope, signal } = context;
    await services.sessions.remove({ scope, provider, key }, signal());
    return {};
  },
});
