import { NotReady, Ready } from '../../lib/contract/resources/health.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /health/ready: whether work is accepted now, and nothing else. */
export const handler = operation<'readiness'>()({
  id: 'getReadiness',
  summary: 'Read whether work is accepted now',
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
