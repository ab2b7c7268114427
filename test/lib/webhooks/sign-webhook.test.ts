import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { signWebhook } from '../../../lib/webhooks/sign-webhook.ts';

const KEY = Buffer.alloc(24, 7);
const OTHER_KEY = Buffer.alloc(64, 9);
const nowSecs = () => Math.floor(Date.now() / 1000);
const body = JSON.stringify({ type: 'job.succeeded', data: { prompt: 'ein Fuchs — 狐' } });
const message = (timestampSecs = nowSecs()) => ({ id: 'message', timestampSecs, body });
const receiver = (key: Buffer) => new Webhook(`whsec_${key.toString('base64')}`);

describe('signWebhook', () => {
  test('what it signs is verified by the Standard Webhooks library', () => {
    const headers = signWebhook(message(), [KEY]);

    expect(receiver(KEY).verify(body, headers)).toEqual(JSON.parse(body));
  });

  test('the signature is the one that the library makes', () => {
    const timestampSecs = 1_700_000_000;

    const headers = signWebhook(message(timestampSecs), [KEY]);

    const expected = receiver(KEY).sign('message', new Date(timestampSecs * 1000), body);
    expect(headers).toEqual({
      'webhook-id': 'message',
      'webhook-timestamp': '1700000000',
      'webhook-signature': expected,
    });
  });

  test('receivers with either of two secrets accept it', () => {
    const headers = signWebhook(message(), [KEY, OTHER_KEY]);

    expect(receiver(KEY).verify(body, headers)).toBeDefined();
    expect(receiver(OTHER_KEY).verify(body, headers)).toBeDefined();
  });

  test.each([
    ['another secret', () => [receiver(OTHER_KEY), body, message()] as const],
    ['another body', () => [receiver(KEY), `${body} `, message()] as const],
    ['an old time', () => [receiver(KEY), body, message(nowSecs() - 3600)] as const],
  ])('a receiver refuses %s', (_what, given) => {
    const [webhook, received, sent] = given();
    const headers = signWebhook(sent, [KEY]);

    expect(() => webhook.verify(received, headers)).toThrow();
  });

  test('a receiver refuses another id', () => {
    const headers = { ...signWebhook(message(), [KEY]), 'webhook-id': 'another' };

    expect(() => receiver(KEY).verify(body, headers)).toThrow('No matching signature');
  });
});
