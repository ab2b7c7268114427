import { createHmac } from 'node:crypto';

/** What is kept of a job's idempotency key: nobody without the secret can tell from it, or try out, which key it was. */
export function toKeyHash(secret: Uint8Array, scope: string, key: string): string {
  const words = JSON.stringify(['job idempotency key', scope, key]);
  return createHmac('sha256', secret).update(words).digest('hex');
}
