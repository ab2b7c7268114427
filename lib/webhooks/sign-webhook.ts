import { createHmac } from 'node:crypto';
import type { WebhookHeaders } from '../contract/resources/webhook-message.ts';

interface Message {
  /** The same for every attempt: receivers know by it what they have had. */
  readonly id: string;
  /** Of this attempt, in Unix seconds. */
  readonly timestampSecs: number;
  readonly body: string;
}

/** The headers of a message as Standard Webhooks 1.0 has them, with a signature for each key. */
export function signWebhook(
  { id, timestampSecs, body }: Message,
  keys: readonly Uint8Array[],
): WebhookHeaders {
  const signed = `${id}.${timestampSecs}.${body}`;
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSecs),
    'webhook-signature': signatures.join(' '),
  };
}
