import { Liveness } from '../../lib/contract/resources/diagnostics.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /health/live: returns 200 if the process is running. */
export const handler = operation()({
  id: 'getLiveness',
  summary: 'Check whether the process is running',
  protection: 'public',
  request: {},
  reply: { status: 200, description: 'The process is running.', body: Liveness },
  errors: [],
  handle: () => ok({ status: 'live' }),
});
