import { IdempotencyHeaders, ImageRequest } from '../../lib/contract/image-request.ts';
import { ImageResponse } from '../../lib/contract/image-response.ts';
import { ok } from '../../lib/http/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/images: makes or edits pictures and answers with all of them, verified. */
export const handler = operation<'imageRequests'>()({
  id: 'createImage',
  summary: 'Generate or edit pictures',
  protection: 'bearer',
  request: { headers: IdempotencyHeaders, body: ImageRequest },
  reply: {
    status: 200,
    description: 'The pictures, each verified to its last byte and pixel.',
    body: ImageResponse,
    holdsBytes: true,
  },
  errors: [
    'input',
    'unsupported_capability',
    'provider_authentication',
    'permission_denied',
    'safety_rejected',
    'artifact_exists',
    'idempotency_conflict',
    'rate_limited',
    'overloaded',
    'timeout',
    'cancelled',
    'upstream',
    'protocol',
    'artifact',
    'configuration',
  ],
  async handle({ body, headers, scope, requestId, trace, signal, baseUrl, services }) {
    const idempotencyKey = headers['idempotency-key'];
    const context = { scope, requestId, trace, signal, baseUrl, idempotencyKey };
    return ok(await services.imageRequests.create(body, context));
  },
});
