import { Diagnostics } from '../../lib/contract/resources/diagnostics.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/diagnostics: returns the state of the bridge, without the content of requests. */
export const handler = operation<'diagnostics'>()({
  id: 'getDiagnostics',
  summary: 'Read the diagnostics',
  protection: 'diagnostics',
  request: {},
  reply: {
    status: 200,
    description: 'Facts and counts, never the content of requests.',
    body: Diagnostics,
  },
  errors: ['overloaded'],
  handle: async ({ context, services }) => ok(await services.diagnostics.report(context.caller)),
});
