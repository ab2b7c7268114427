import { describe, expect, test } from 'vitest';
import { createWebhookTargets } from '../../../lib/webhooks/webhook-targets.ts';

const ALL = ['succeeded', 'failed', 'cancelled', 'interrupted'];
const HOSTS = ['hooks.test', 'Other.test:8443', '127.0.0.1:9000', 'localhost', '[::1]:9000'];
const SETTINGS = { enabled: true, default_url: undefined, allowed_hosts: HOSTS };
const DEFAULT = 'https://hooks.test/all';

const targets = (settings: Partial<Parameters<typeof createWebhookTargets>[0]> = {}) =>
  createWebhookTargets({ ...SETTINGS, ...settings });
const named = (url: string) => ({ url, events: ['failed' as const] });

describe('createWebhookTargets', () => {
  test.each([
    'https://hooks.test/a?b=c',
    'https://HOOKS.test:443/a',
    'https://other.test:8443/',
    'http://127.0.0.1:9000/',
    'http://[::1]:9000/',
    'http://localhost/',
    'https://localhost/',
  ])('the allowed URL %s is accepted unchanged', (url) => {
    expect(targets().toTarget(named(url))).toEqual(named(url));
  });

  test.each([
    ['https://evil.test/', 'host_not_allowed'],
    ['https://sub.hooks.test/', 'host_not_allowed'],
    ['https://hooks.test.evil.test/', 'host_not_allowed'],
    ['https://hooks.test:8443/', 'host_not_allowed'],
    ['https://other.test/', 'host_not_allowed'],
    ['http://127.0.0.1:9001/', 'host_not_allowed'],
    ['http://127.1:9001/', 'host_not_allowed'],
    ['http://hooks.test/', 'not_an_https_url'],
    ['ftp://hooks.test/', 'not_an_https_url'],
    ['file:///etc/passwd', 'not_an_https_url'],
    ['https://user:word@hooks.test/', 'user_info_in_url'],
    ['https://hooks.te\tst/', 'control_character'],
    ['https://hooks.test/\n', 'control_character'],
    ['hooks.test', 'not_a_url'],
    ['', 'not_a_url'],
  ])('the URL %j is rejected as %s', (url, code) => {
    expect(() => targets().toTarget(named(url))).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        param: 'webhook.url',
        details: {
          issues: [{ field: 'webhook.url', code, message: expect.stringMatching(/^must /) }],
        },
      }),
    );
  });

  test('a job without a webhook gets the default one with all events', () => {
    const { toTarget } = targets({ default_url: DEFAULT });

    expect(toTarget(undefined)).toEqual({ url: DEFAULT, events: ALL });
    expect(targets().toTarget(undefined)).toBeUndefined();
  });

  test('while webhooks are off, a webhook is rejected and there is no default one', () => {
    const { toTarget, toRetryTarget } = targets({ enabled: false, default_url: DEFAULT });

    expect(() => toTarget(named('https://hooks.test/'))).toThrow(
      expect.objectContaining({
        param: 'webhook',
        details: {
          issues: [{ field: 'webhook', code: 'webhooks_disabled', message: expect.any(String) }],
        },
      }),
    );
    expect(toTarget(undefined)).toBeUndefined();
    expect(toRetryTarget(named('https://hooks.test/'))).toBeUndefined();
  });

  test('a retry has the webhook of the earlier job, or else the default one', () => {
    const { toRetryTarget } = targets({ default_url: DEFAULT });

    expect(toRetryTarget(named('https://hooks.test/'))).toEqual(named('https://hooks.test/'));
    expect(toRetryTarget(undefined)).toEqual({ url: DEFAULT, events: ALL });
  });
});
