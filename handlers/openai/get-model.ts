import { Model, ModelPath } from '../../lib/contract/openai/models.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/models/{id}: returns the model with the given name or alias. Throws `not_found`. */
export const handler = operation<'models'>()({
  id: 'getModel',
  summary: 'Read one model',
  protection: 'read',
  request: { path: ModelPath, ignoresQuery: true },
  reply: { status: 200, description: 'The model.', body: Model },
  errors: ['not_found'],
  handle: ({ path, services }) => ok(services.models.get(path.id)),
});
