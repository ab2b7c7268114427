import { Liveness } from '../../lib/contract/resources/health.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /health/live: the process runs. */
export const handler = operation()({
  id: 'getLiveness',
  summary: 'Read whether the process runs',
  protection: 'public',
  request: {},
  reply: { status: 200, description: 'The process runs.', body: Liveness },
  errors: [],
  handle: () => ok({ status: 'live' }),
});
