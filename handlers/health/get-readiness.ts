import { NotReady, Ready } from '../../lib/contract/resources/diagnostics.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /health/ready: returns 200 if the bridge is ready for requests, and 503 otherwise. */
export const handler = operation<'readiness'>()({
  id: 'getReadiness',
  summary: 'Check whether requests are accepted',
  protection: 'public',
  request: {},
  reply: {
    status: 200,
    description: 'The default provider and the state database are ready.',
    body: Ready,
    also: [
      {
        status: 503,
        description: 'The default provider or the state database is not ready.',
        body: NotReady,
      },
    ],
  },
  errors: [],
  async handle({ services }) {
    const isReady = await services.readiness.isReady();
    return isReady ? ok({ status: 'ready' }) : { ...ok({ status: 'not_ready' }), status: 503 };
  },
});
