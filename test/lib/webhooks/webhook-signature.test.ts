import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { readWebhookSecrets, signWebhook } from '../../../lib/webhooks/webhook-signature.ts';

const KEY = Buffer.alloc(24, 7);
const OTHER_KEY = Buffer.alloc(64, 9);
const nowSecs = () => Math.floor(Date.now() / 1000);
const body = JSON.stringify({ type: 'job.succeeded', data: { prompt: 'ein Fuchs — 狐' } });
const message = (timestampSecs = nowSecs()) => ({ id: 'message', timestampSecs, body });
const receiver = (key: Buffer) => new Webhook(`whsec_${key.toString('base64')}`);

describe('signWebhook', () => {
  test('the Standard Webhooks library verifies a signed message', () => {
    const headers = signWebhook(message(), [KEY]);

    expect(receiver(KEY).verify(body, headers)).toEqual(JSON.parse(body));
  });

  test('the signature equals the one that the library creates', () => {
    const timestampSecs = 1_700_000_000;

    const headers = signWebhook(message(timestampSecs), [KEY]);

    const expected = receiver(KEY).sign('message', new Date(timestampSecs * 1000), body);
    expect(headers).toEqual({
      'webhook-id': 'message',
      'webhook-timestamp': '1700000000',
      'webhook-signature': expected,
    });
  });

  test('receivers with either of two secrets accept a message', () => {
    const headers = signWebhook(message(), [KEY, OTHER_KEY]);

    expect(receiver(KEY).verify(body, headers)).toBeDefined();
    expect(receiver(OTHER_KEY).verify(body, headers)).toBeDefined();
  });

  test.each([
    ['another secret', () => [receiver(OTHER_KEY), body, message()] as const],
    ['another body', () => [receiver(KEY), `${body} `, message()] as const],
    ['an old time', () => [receiver(KEY), body, message(nowSecs() - 3600)] as const],
  ])('a receiver rejects a message with %s', (_what, given) => {
    const [webhook, received, sent] = given();
    const headers = signWebhook(sent, [KEY]);

    expect(() => webhook.verify(received, headers)).toThrow();
  });

  test('a receiver rejects a message with another id', () => {
    const headers = { ...signWebhook(message(), [KEY]), 'webhook-id': 'another' };

    expect(() => receiver(KEY).verify(body, headers)).toThrow('No matching signature');
  });
});

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
