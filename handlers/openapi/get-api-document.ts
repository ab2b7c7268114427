import { bytes } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/openapi.json: returns the OpenAPI document of this bridge. */
export const handler = operation<'apiDocument'>()({
  id: 'getApiDocument',
  summary: 'Read this document',
  protection: 'read',
  request: {},
  reply: {
    status: 200,
    description: 'The OpenAPI 3.1 document.',
    mediaTypes: ['application/json'],
  },
  errors: [],
  handle: async ({ services }) =>
    bytes(await services.apiDocument(), {
      'content-type': 'application/json',
      'cache-control': 'no-store',
    }),
});
