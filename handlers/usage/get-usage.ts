import { UsageQuery, UsageReport } from '../../lib/contract/resources/usage.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/usage: returns the usage of the caller's token by day, its permissions and its allowance. */
export const handler = operation<'usage'>()({
  id: 'getUsage',
  summary: 'Read the usage and the allowance of the token',
  protection: 'read',
  request: { query: UsageQuery },
  reply: { status: 200, description: 'The usage of the token.', body: UsageReport },
  errors: [],
  handle: async ({ query, context, services }) =>
    ok(await services.usage.report(context.caller, query.days)),
});
