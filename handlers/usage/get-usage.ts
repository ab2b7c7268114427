import { UsageQuery, UsageReport } from '../../lib/contract/resources/usage.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/usage: returns the caller with its permissions and limits, and the usage of its token or of all tokens by day. */
export const handler = operation<'usage'>()({
  id: 'getUsage',
  summary: 'Read the usage and the allowance of the token, or the usage of all tokens',
  protection: 'read',
  request: { query: UsageQuery },
  reply: {
    status: 200,
    description: 'The usage of the token or of all tokens.',
    body: UsageReport,
  },
  errors: [],
  handle: async ({ query, context, services }) =>
    ok(await services.usage.report(context.caller, query)),
});
