import { describe, expect, test } from 'vitest';
import { readWebhookSecrets } from '../../../lib/webhooks/webhook-secrets.ts';

const ON = { enabled: true, secret_env: 'SECRET' };
const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 5).toString('base64')}`;
const read = (value: string | undefined) => readWebhookSecrets(ON, { SECRET: value });

describe('readWebhookSecrets', () => {
  test.each([24, 32, 33, 64])('a secret of %i bytes is a key', (bytes) => {
    expect(read(secret(bytes))).toEqual([Buffer.alloc(bytes, 5)]);
  });

  test('two secrets are two keys in the same order', () => {
    expect(read(` ${secret(24)}  ${secret(32)} `)).toEqual([
      Buffer.alloc(24, 5),
      Buffer.alloc(32, 5),
    ]);
  });

  test('no key is read while webhooks are off', () => {
    expect(readWebhookSecrets({ ...ON, enabled: false }, {})).toBeUndefined();
  });

  test.each([
    ['no value', undefined],
    ['an empty value', ''],
    ['blanks', '  '],
    ['no prefix', secret(24).slice(6)],
    ['another prefix', secret(24).replace('whsec', 'whpk')],
    ['too few bytes', secret(23)],
    ['too many bytes', secret(65)],
    ['text that is not base64', `whsec_${'*'.repeat(40)}`],
    ['base64 of URLs', `whsec_${'-_'.repeat(16)}`],
    ['base64 without its padding', secret(25).replace(/=+$/, '')],
    ['a second part that is not a secret', `${secret(24)} another`],
    ['three secrets', [24, 25, 26].map(secret).join(' ')],
  ])('a variable with %s is rejected without being shown', (_what, value) => {
    expect(() => read(value)).toThrow(
      /^server\.webhooks\.secret_env: (?!.*whsec_[A-Za-z0-9*_-]{8})/,
    );
  });
});
