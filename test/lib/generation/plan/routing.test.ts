import { describe, expect, it } from 'vitest';
import type { Routing } from '../../../../lib/contract/request/routing.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { ERRORS, type ErrorCode } from '../../../../lib/errors/codes.ts';
import { fallsBack, resolveCandidates, toRoute } from '../../../../lib/generation/plan/routing.ts';
import type { ProviderRegistry } from '../../../../lib/providers/registry.ts';
import { createProviderRegistry } from '../../../../lib/providers/registry.ts';
import { createScriptedProvider } from '../../../support/scripted-provider.ts';
import { anything } from '../capability-documents.ts';
import { requestOf } from '../requests.ts';

const registry = createProviderRegistry(
  [
    provider('zeta', ['zeta-image', 'shared', 'common']),
    provider('main', ['main-image', 'main-fast', 'common']),
    provider('beta', ['beta-image', 'shared']),
  ],
  'main',
);

/** Returns the route of a request without fallbacks. */
function resolvePrimary(routing: Routing, known: ProviderRegistry) {
  const [primary] = resolveCandidates(routing, known);
  if (!primary) throw new Error('there is no primary route');
  return toRoute(primary, known);
}

describe('resolveCandidates', () => {
  it('lists the primary route first, then the fallbacks in their order', () => {
    const fallbacks = [{ provider: 'zeta', model: 'common' }, { provider: 'beta' }];

    const candidates = resolveCandidates(requestOf({ routing: { fallbacks } }).routing, registry);

    expect(candidates.map(({ provider, model }) => [provider.name, model])).toEqual([
      ['main', 'main-image'],
      ['zeta', 'common'],
      ['beta', 'beta-image'],
    ]);
  });

  it('rejects a fallback to a provider that is not registered, and names the field', () => {
    const fallbacks = [{ provider: 'beta' }, { provider: 'missing' }];
    const { routing } = requestOf({ routing: { fallbacks } });

    expect(() => resolveCandidates(routing, registry)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        param: 'routing.fallbacks[1].provider',
      }),
    );
  });

  it.each([
    ['nothing', {}, 'main', 'main-image'],
    ['null for both', { provider: null, model: null }, 'main', 'main-image'],
    ['a provider', { provider: 'beta' }, 'beta', 'beta-image'],
    ['a provider and its model', { provider: 'beta', model: 'shared' }, 'beta', 'shared'],
    ['a model of the default provider', { model: 'main-fast' }, 'main', 'main-fast'],
    ['a model that the default provider lists too', { model: 'common' }, 'main', 'common'],
    ['a model that one other lists', { model: 'zeta-image' }, 'zeta', 'zeta-image'],
    ['a model that several others list', { model: 'shared' }, 'beta', 'shared'],
  ])('resolves %s to the route %s', (_, routing, name, model) => {
    const route = resolvePrimary(requestOf({ routing }).routing, registry);

    expect([route.provider.name, route.model]).toEqual([name, model]);
    expect(route.capabilities).toMatchObject({ provider: name, model });
  });

  it.each(['missing', 'MAIN', 'main ', '__proto__'])(
    'refuses the provider "%s", which is not registered',
    (name) => {
      const { routing } = requestOf({ routing: { provider: name } });

      expect(() => resolvePrimary(routing, registry)).toThrow(
        expect.objectContaining({ code: 'invalid_request', param: 'routing.provider' }),
      );
    },
  );

  it.each([
    ['of a named provider', { provider: 'beta', model: 'main-image' }, ['beta-image', 'shared']],
    ['of no list', { model: 'unknown-model' }, ['main-image', 'main-fast', 'common']],
  ])('refuses an unknown model %s, and reports the models of the provider', (_, sent, models) => {
    const { routing } = requestOf({ routing: sent });

    expect(() => resolvePrimary(routing, registry)).toThrow(
      expect.objectContaining({
        code: 'unsupported_capability',
        param: 'routing.model',
        details: { field: 'routing.model', supported_models: models },
      }),
    );
  });

  it('throws `configuration` if there is no default provider', () => {
    const without = createProviderRegistry([provider('beta', ['beta-image'])], 'main');

    expect(() => resolvePrimary(requestOf().routing, without)).toThrow(
      expect.objectContaining({ code: 'configuration' }),
    );
  });
});

const CODES = Object.keys(ERRORS) as ErrorCode[];
const UNAVAILABLE = [
  'configuration',
  'provider_authentication',
  'unsupported_capability',
  'rate_limited',
  'overloaded',
];
const FAILED = ['upstream', 'protocol', 'internal', 'refused_by_provider'];

describe('fallsBack', () => {
  it.each(CODES)('decides about %s as the contract says', (code) => {
    const error = new BridgeError(code, 'failed');

    expect(fallsBack(error, 'on_unavailable')).toBe(UNAVAILABLE.includes(code));
    expect(fallsBack(error, 'on_error')).toBe([...UNAVAILABLE, ...FAILED].includes(code));
  });

  it.each(CODES)('never falls back after %s when its outcome is unknown', (code) => {
    const error = new BridgeError(code, 'failed', { details: { outcome: 'unknown' } });

    expect(fallsBack(error, 'on_unavailable')).toBe(false);
    expect(fallsBack(error, 'on_error')).toBe(false);
  });

  it.each(CODES)('never falls back after %s when outputs had succeeded', (code) => {
    const error = new BridgeError(code, 'failed', { details: { succeeded_outputs: 1 } });

    expect(fallsBack(error, 'on_unavailable')).toBe(false);
    expect(fallsBack(error, 'on_error')).toBe(false);
  });
});

function provider(name: string, models: readonly string[]) {
  return createScriptedProvider({ name, models, capabilities: anything });
}
