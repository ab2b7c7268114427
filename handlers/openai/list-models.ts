import { ModelList } from '../../lib/contract/openai/models.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/models: lists every model that a request may name, with its provider. */
export const handler = operation<'models'>()({
  id: 'listModels',
  summary: 'List the models (OpenAI-compatible)',
  protection: 'read',
  request: { ignoresQuery: true },
  reply: { status: 200, description: 'All models and their aliases.', body: ModelList },
  errors: [],
  handle: ({ services }) => ok(services.models.list()),
});
