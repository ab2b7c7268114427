import { describe, expect, it } from 'vitest';
import type { Provider } from '../../../lib/providers/provider-port.ts';
import { createProviderRegistry } from '../../../lib/providers/registry.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { anything } from '../generation/capability-documents.ts';

describe('createProviderRegistry', () => {
  it('lists the providers by name, regardless of their original order', () => {
    const registry = createProviderRegistry([named('b'), named('b-a'), named('a')], 'b');

    expect(registry.all.map(({ name }) => name)).toEqual(['a', 'b', 'b-a']);
  });

  it('finds a provider only by its exact name', () => {
    const provider = named('a');
    const registry = createProviderRegistry([provider], 'a');

    expect(registry.find('a')).toBe(provider);
    expect(registry.find('A')).toBeUndefined();
    expect(registry.find('__proto__')).toBeUndefined();
  });

  it('returns the capabilities of a model', () => {
    const provider = named('a', ['one', 'two']);

    const document = createProviderRegistry([provider], 'a').capabilities(provider, 'two', 'model');

    expect(document).toMatchObject({ provider: 'a', model: 'two' });
  });

  it('reduces the capabilities of a model to the limits of a request', () => {
    const provider = named('a');
    const limits = { max_outputs: 3, max_inputs: 2 };
    const registry = createProviderRegistry([provider], 'a', limits);

    const document = registry.capabilities(provider, 'scripted-image', 'model');

    expect(document).toEqual({
      ...provider.capabilities('scripted-image'),
      count: { min: 1, max: 3 },
      batching: { ...anything.batching, mode: 'native', native_count: { min: 1, max: 3 } },
      edit_images: { ...anything.edit_images, max_count: 2 },
      reference_images: { ...anything.reference_images, max_count: 2 },
    });
  });

  it('keeps the capabilities of a model that are below the limits of a request', () => {
    const provider = named('a');
    const limits = { max_outputs: 1000, max_inputs: 1000 };
    const registry = createProviderRegistry([provider], 'a', limits);

    const document = registry.capabilities(provider, 'scripted-image', 'model');

    expect(document).toEqual(provider.capabilities('scripted-image'));
  });

  it('rejects an unknown model and lists the known models', () => {
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
