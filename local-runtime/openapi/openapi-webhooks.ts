import type { JsonObject } from '../../lib/contract/document/conversion.ts';
import { WebhookHeaders, WebhookMessage } from '../../lib/contract/resources/job-events.ts';
import { toParameters } from './openapi-parameters.ts';
import { jsonContent } from './openapi-responses.ts';

/** `webhooks` of the document: the requests that the bridge itself makes. */
export function toWebhooks(): JsonObject {
  return {
    jobEnded: {
      post: {
        operationId: 'jobEnded',
        summary: 'A job has ended',
        description:
          'Sent to the `webhook` of the job, or to server.webhooks.default_url, while server.webhooks.enabled is on: at least once, in no promised order. The Standard Webhooks libraries verify it.',
        tags: ['Jobs'],
        security: [],
        parameters: toParameters({ headers: WebhookHeaders }),
        requestBody: {
          required: true,
          content: { 'application/json': jsonContent(WebhookMessage) },
        },
        responses: {
          '2XX': { description: 'Within 15 s: the message was delivered.' },
          '410': { description: 'It is not sent again.' },
          default: {
            description: 'It is sent again later, up to seven times. No redirect is followed.',
          },
        },
      },
    },
  };
}
