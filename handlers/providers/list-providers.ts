import { ProviderPage } from '../../lib/contract/resources/provider.ts';
import { PageQuery } from '../../lib/contract/schema/page.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/providers: lists the enabled providers, sorted by name. */
export const handler = operation<'providers'>()({
  id: 'listProviders',
  summary: 'List the providers',
  protection: 'read',
  request: { query: PageQuery },
  reply: { status: 200, description: 'One page of providers.', body: ProviderPage },
  errors: [],
  handle: ({ query, services }) => ok(services.providers.list(query.limit, query.cursor)),
});
