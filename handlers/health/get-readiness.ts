import { NotReady, Ready } from '../../lib/contract/resources/health.ts';
import { ok } from '../../lib/http/reply.ts';
import { operation } from '../operation.ts';

/** GET /health/ready: work would be taken now. Says no more than that, to anybody. */
export const handler = operation<'readiness'>()({
  id: 'getReadiness',
  summary: 'Tell whether work would be taken now',
  protection: 'public',
  request: {},
  reply: {
    status: 200,
    description: 'The default provider and the state database are ready.',
    body: Ready,
    also: [{ status: 503, description: 'Not ready.', body: NotReady }],
  },
  errors: [],
  async handle({ services }) {
    const isReady = await services.readiness.isReady();
    return isReady ? ok({ status: 'ready' }) : { ...ok({ status: 'not_ready' }), status: 503 };
  },
});
