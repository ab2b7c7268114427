import { describe, expect, it } from 'vitest';
import type { Job } from '../../../../dashboard/src/api/schemas.ts';
import { toWebhookText } from '../../../../dashboard/src/job/inspector/facts.ts';
import { detail } from '../../support/job-detail.ts';

type Webhook = NonNullable<Job['webhook']>;

const ended = (webhook: Webhook) => detail({ status: 'succeeded', webhook });

describe('toWebhookText', () => {
  it.each<[string, Webhook]>([
    ['Sending', { status: 'pending', attempts: 0 }],
    [
      'Not delivered yet: the receiver replied with 503. Delivery will be retried.',
      { status: 'pending', attempts: 1, last_status: 503 },
    ],
    [
      'Not delivered after 2 attempts: the receiver did not reply. Delivery will be retried.',
      { status: 'pending', attempts: 2 },
    ],
    ['Delivered on the first attempt', { status: 'delivered', attempts: 1, last_status: 204 }],
    ['Delivered after 2 attempts', { status: 'delivered', attempts: 2, last_status: 200 }],
    ['Failed: the receiver replied with 410', { status: 'failed', attempts: 1, last_status: 410 }],
    [
      'Failed after 8 attempts: the receiver replied with 500',
      { status: 'failed', attempts: 8, last_status: 500 },
    ],
  ])('describes a delivery as: %s', (words, webhook) => {
    expect(toWebhookText(ended(webhook))).toBe(words);
  });

  it('describes when the webhook of an open job is sent', () => {
    const job = detail({ status: 'running', webhook: { status: 'pending', attempts: 0 } });

    expect(toWebhookText(job)).toBe('Sent when the job ends');
  });

  it('returns undefined for a job without a webhook', () => {
    expect(toWebhookText(detail({ status: 'succeeded' }))).toBeUndefined();
  });
});
