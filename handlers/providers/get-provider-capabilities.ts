import {
  CapabilitiesQuery,
  CapabilityDocument,
  ProviderPath,
} from '../../lib/contract/resources/provider.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/providers/{name}/capabilities: returns the capabilities of one model. */
export const handler = operation<'providers'>()({
  id: 'getProviderCapabilities',
  summary: 'Read the capabilities of a model',
  protection: 'read',
  request: { path: ProviderPath, query: CapabilitiesQuery },
  reply: { status: 200, description: 'The capability document.', body: CapabilityDocument },
  errors: ['not_found', 'unsupported_capability'],
  handle: ({ path, query, services }) =>
    ok(services.providers.capabilities(path.name, query.model)),
});
