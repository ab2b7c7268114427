import { describe, expect, it } from 'vitest';
import type { Provider } from '../../../lib/providers/provider-port.ts';
import { createProviderRegistry } from '../../../lib/providers/registry.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { anything } from '../generation/capability-documents.ts';

describe('createProviderRegistry', () => {
  it('lists the providers by name, in whatever order they came', () => {
    const registry = createProviderRegistry([named('b'), named('b-a'), named('a')], 'b');

    expect(registry.all.map(({ name }) => name)).toEqual(['a', 'b', 'b-a']);
  });

  it('finds a provider by exactly its name', () => {
    const provider = named('a');
    const registry = createProviderRegistry([provider], 'a');

    expect(registry.find('a')).toBe(provider);
    expect(registry.find('A')).toBeUndefined();
    expect(registry.find('__proto__')).toBeUndefined();
  });

  it('returns what a model can do', () => {
    const provider = named('a', ['one', 'two']);

    const document = createProviderRegistry([provider], 'a').capabilities(provider, 'two', 'model');

    expect(document).toMatchObject({ provider: 'a', model: 'two' });
  });

  it('refuses an unknown model with the models that there are', () => {
    const provider = named('a', ['one', 'two']);
    const registry = createProviderRegistry([provider], 'a');

    expect(() => registry.capabilities(provider, 'three', 'routing.model')).toThrow(
      expect.objectContaining({
        code: 'unsupported_capability',
        param: 'routing.model',
        provider: 'a',
        details: { field: 'routing.model', supported_models: ['one', 'two'] },
      }),
    );
  });

  it('closes all providers', async () => {
    const closed: string[] = [];
    const closing = (name: string): Provider => ({
      ...named(name),
      close: async () => {
        closed.push(name);
      },
    });

    await createProviderRegistry([closing('b'), closing('a')], 'a').close();

    expect(closed.sort()).toEqual(['a', 'b']);
  });
});

function named(name: string, models?: readonly string[]): Provider {
  return createScriptedProvider({ name, capabilities: anything, ...(models ? { models } : {}) });
}
