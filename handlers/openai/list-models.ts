import { ModelList } from '../../lib/contract/openai/models.ts';
import { ok } from '../../lib/http/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/models: every model that a request may name, and the provider that it goes to. */
export const handler = operation<'models'>()({
  id: 'listModels',
  summary: 'List the models as OpenAI’s clients expect them',
  protection: 'bearer',
  request: { ignoresQuery: true },
  reply: { status: 200, description: 'All models, and the names that mean one.', body: ModelList },
  errors: [],
  handle: ({ services }) => ok(services.models.list()),
});
