import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createCredentials } from '../../../../lib/providers/credentials/credentials.ts';

const credentials = createCredentials({
  accessToken: 'secret-token',
  accountId: 'secret-account',
  planType: 'secret-plan',
  expiresAtMs: 5,
});

describe('createCredentials', () => {
  it('returns secrets only by name', () => {
    const { accessToken, accountId, planType, expiresAtMs } = credentials;

    expect([accessToken, accountId, planType, expiresAtMs]).toEqual([
      'secret-token',
      'secret-account',
      'secret-plan',
      5,
    ]);
  });

  it.each<[string, (value: object) => unknown]>([
    ['JSON', JSON.stringify],
    ['a log line', (value) => inspect({ value }, { depth: 9 })],
    ['a formatted text', (value) => `${value}`],
    ['the list of its members', Object.entries],
    ['a copy', (value) => JSON.stringify({ ...value })],
    ['a clone', (value) => inspect(structuredClone(value))],
    ['an error', (value) => inspect(new Error('failed', { cause: value }))],
  ])('hides all secrets in %s', (_what, show) => {
    expect(String(show(credentials))).not.toContain('secret');
  });

  it('does not allow secrets to be changed', () => {
    expect(() => Object.assign(credentials, { accessToken: 'other' })).toThrow(TypeError);
  });
});
