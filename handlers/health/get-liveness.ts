import { Liveness } from '../../lib/contract/resources/health.ts';
import { ok } from '../../lib/http/reply.ts';
import { operation } from '../operation.ts';

/** GET /health/live: the process answers. */
export const handler = operation()({
  id: 'getLiveness',
  summary: 'Tell whether the process answers',
  protection: 'public',
  request: {},
  reply: { status: 200, description: 'The process answers.', body: Liveness },
  errors: [],
  handle: () => ok({ status: 'live' }),
});
