import { describe, expect, it } from 'vitest';
import {
  AUTHORITY,
  BIND,
  ENDPOINT,
  HTTP_URL,
  NAME,
  PATH,
  PROVIDER_NAME,
  REMOTE_HOST,
  VARIABLE,
  VISIBLE,
  WEBHOOK_HOST,
} from '../../../../lib/config/values/text-rules.ts';

const RULES = {
  AUTHORITY,
  BIND,
  ENDPOINT,
  NAME,
  PATH,
  HTTP_URL,
  PROVIDER_NAME,
  REMOTE_HOST,
  VARIABLE,
  VISIBLE,
  WEBHOOK_HOST,
};

const GOOD: Record<keyof typeof RULES, readonly string[]> = {
  AUTHORITY: ['bridge.lan', 'bridge.lan:8787', '192.168.1.4', '[fe80::1]:80'],
  BIND: ['127.0.0.1:8787', '[::1]:0', '0.0.0.0:80', 'localhost:65535'],
  ENDPOINT: [
    'https://chatgpt.com/backend-api/codex/responses',
    'https://example.com/a?version=1',
    'http://127.0.0.1:9000/x',
    'http://[::1]:9000',
    'http://localhost/',
    'HTTPS://example.com',
  ],
  NAME: ['gpt-image-2', 'a b', 'é'],
  PATH: ['.', '/srv/data', 'C:\\data', ' '],
  HTTP_URL: ['https://a.example', 'http://a.example:81/bridge/', 'http://10.0.0.1'],
  REMOTE_HOST: ['example.com', 'EXAMPLE.com', '93.184.216.34', '[2001:db8::1]', 'xn--bcher-kva.de'],
  PROVIDER_NAME: ['a', 'work-2', 'a--b', 'a-', 'a'.repeat(32), 'constructor'],
  VARIABLE: ['TOKEN', '_t1', 'image_bridge_token'],
  VISIBLE: ['org-1', '2025-04-01-preview', 'a'.repeat(256)],
  WEBHOOK_HOST: [
    'hooks.example',
    'Hooks.example:8443',
    '127.0.0.1:9000',
    '[::1]:9000',
    'localhost',
  ],
};

const BAD: Record<keyof typeof RULES, readonly string[]> = {
  AUTHORITY: ['', '*', '*.lan', 'http://a', 'a/b', 'a:0', 'a:99999', 'a b'],
  BIND: ['', '8787', ':8787', 'localhost', '::1:8787', '127.0.0.1:65536', 'http://127.0.0.1:80'],
  ENDPOINT: [
    '',
    'http://example.com/',
    'http://127.0.0.1.example.com/',
    'http://localhost@example.com/',
    'https://user:password@example.com/',
    'https://example.com/#part',
    'https://example.com/#',
    ' https://example.com/',
    'https://example.com/\n',
    'https:example.com',
    'https:\\\\example.com',
    'https://',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'example.com',
  ],
  NAME: ['', ' ', '\t', 'a\nb', 'a\0b'],
  PATH: ['', 'a\0b'],
  HTTP_URL: [
    '',
    '/bridge',
    'https://a/?q=1',
    'https://a/?',
    'https://a/#b',
    'https://u@a/',
    'ws://a',
  ],
  REMOTE_HOST: [
    '',
    '*',
    '*.example.com',
    'example.com:443',
    'https://example.com',
    'example.com/a',
    'bücher.de',
    'u@example.com',
    '127.1',
    '[2001:db8:0::1]',
  ],
  PROVIDER_NAME: ['', '1', '-a', 'A', 'a_b', 'a.b', 'a b', 'ä', 'a\n', 'a'.repeat(33)],
  VARIABLE: ['', '1A', 'A-B', 'A B', 'A=B', '$TOKEN', 'é'],
  VISIBLE: ['', ' ', 'a b', 'a\n', 'é', 'a'.repeat(257)],
  WEBHOOK_HOST: [
    '',
    '*',
    '*.example.com',
    'a:443',
    'a:0443',
    '127.1',
    'https://a',
    'a/b',
    'u@a',
    'bücher.de',
  ],
};

const NAMES = Object.keys(RULES) as (keyof typeof RULES)[];

describe.each(NAMES)('%s', (name) => {
  it.each(GOOD[name])('accepts %j', (text) => {
    expect(RULES[name].accepts(text)).toBe(true);
  });

  it.each(BAD[name])('rejects %j', (text) => {
    expect(RULES[name].accepts(text)).toBe(false);
  });
});
