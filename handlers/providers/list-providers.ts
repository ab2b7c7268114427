import { PageQuery } from '../../lib/contract/page.ts';
import { ProviderPage } from '../../lib/contract/provider.ts';
import { ok } from '../../lib/http/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/providers: the enabled providers by name. */
export const handler = operation<'providers'>()({
  id: 'listProviders',
  summary: 'List the providers',
  protection: 'bearer',
  request: { query: PageQuery },
  reply: { status: 200, description: 'One page of providers.', body: ProviderPage },
  errors: [],
  handle: ({ query, services }) => ok(services.providers.list(query.limit, query.cursor)),
});
