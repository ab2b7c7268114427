import { createHmac } from 'node:crypto';

/** The stored hash of a job's idempotency key. Without the secret the key can neither be read from it nor guessed. */
export function toKeyHash(secret: Uint8Array, scope: string, key: string): string {
  const words = JSON.stringify(['job idempotency key', scope, key]);
  return createHmac('sha256', secret).update(words).digest('hex');
}
