import { ProviderPath } from '../../lib/contract/resources/provider.ts';
import {
  Reconciliation,
  ReconciliationCreate,
} from '../../lib/contract/resources/reconciliation.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/providers/{name}/reconciliation: compares recorded costs with the charges of the service. */
export const handler = operation<'reconciliations'>()({
  id: 'reconcileProvider',
  summary: 'Compare the recorded costs with the charges of a service',
  protection: 'admin',
  request: { path: ProviderPath, body: ReconciliationCreate },
  reply: {
    status: 200,
    description: 'The comparison of at most 50 calls.',
    body: Reconciliation,
  },
  errors: ['not_found', 'provider_authentication', 'permission_denied', 'upstream', 'overloaded'],
  handle: async ({ path, body, context, services }) =>
    ok(await services.reconciliations.run(path.name, body, context.signal())),
});
