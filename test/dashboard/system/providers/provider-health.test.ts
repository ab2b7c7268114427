import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ProviderReport } from '../../../../dashboard/src/api/schemas.ts';
import {
  type Health,
  STEPS,
  toHealth,
  toSummary,
} from '../../../../dashboard/src/system/providers/provider-health.ts';

const texts = JSON.parse(readFileSync('dashboard/src/text/en.json', 'utf8')) as object;
const hasText = (key: string) => Object.hasOwn(texts, key);

const CLOSED = { state: 'closed', failures: 0, opens: 0 } as const;

function report(fields: Partial<ProviderReport> = {}): ProviderReport {
  return { name: 'agent-app-server', ready: true, checked: 1, restarts: 0, ...fields };
}

describe('toHealth', () => {
  it.each([
    ['ready', report(), CLOSED],
    ['ready', report(), undefined],
    ['paused', report(), { ...CLOSED, state: 'open' }],
    ['retrying', report(), { ...CLOSED, state: 'half_open' }],
    ['checking', report({ ready: false }), CLOSED],
    ['login', report({ ready: false, error_code: 'authentication' }), CLOSED],
    ['key', report({ name: 'work', ready: false, error_code: 'authentication' }), CLOSED],
    ['executable', report({ ready: false, error_code: 'configuration' }), CLOSED],
    [
      'configuration',
      report({ name: 'agent-responses', ready: false, error_code: 'configuration' }),
      CLOSED,
    ],
    ['account', report({ ready: false, error_code: 'upstream' }), CLOSED],
    ['unready', report({ ready: false, error_code: 'internal' }), CLOSED],
    ['login', report({ ready: false, error_code: 'authentication' }), { ...CLOSED, state: 'open' }],
  ] as const)('returns %s', (health, provider, breaker) => {
    expect(toHealth(provider, breaker)).toBe(health);
  });
});

describe('toSummary', () => {
  const named = (health: Health, isDefault = false) => ({ health, name: 'Agent', isDefault });
  const keysOf = (...providers: ReturnType<typeof named>[]) =>
    toSummary(providers).map(({ key }) => key);

  it.each([
    [[named('ready', true), named('checking')], ['system.working']],
    [
      [named('ready', true), named('login')],
      ['system.working', 'system.unwell.login'],
    ],
    [
      [named('ready', true), named('key')],
      ['system.working', 'system.unwell.key'],
    ],
    [
      [named('paused', true), named('ready')],
      ['system.refusing', 'system.unwell.paused'],
    ],
    [
      [named('ready', true), named('executable')],
      ['system.working', 'system.unwell.other'],
    ],
    [
      [named('login', true), named('executable')],
      ['system.refusing', 'system.unwell.several'],
    ],
  ] as const)('summarizes the providers in sentences, case %#', (providers, keys) => {
    expect(keysOf(...providers)).toEqual(keys);
    for (const key of keys) expect(hasText(key)).toBe(true);
  });
});

describe('STEPS', () => {
  it('has a text for each step', () => {
    const steps = Object.values(STEPS).flat();

    expect(steps.filter(({ text }) => !hasText(text))).toEqual([]);
  });
});
