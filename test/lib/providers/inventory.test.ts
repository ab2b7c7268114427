import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  CapabilityDocument,
  ProviderDescriptor,
} from '../../../lib/contract/resources/provider.ts';
import { createProviderInventory } from '../../../lib/providers/inventory.ts';
import { createProviderRegistry } from '../../../lib/providers/registry.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { anything } from '../generation/capability-documents.ts';

const NAMES = ['delta', 'alpha', 'echo', 'bravo', 'charlie'];

describe('createProviderInventory', () => {
  it('describes each provider as the contract does', () => {
    const { items } = inventoryOf(['alpha', 'bravo'], 'bravo').list(100, undefined);

    expect(items).toEqual([
      {
        name: 'alpha',
        display_name: 'alpha',
        version: '1.0.0',
        experimental: false,
        models: ['one', 'two'],
        default_model: 'one',
        default: false,
      },
      expect.objectContaining({ name: 'bravo', default: true }),
    ]);
    expect(items.every((item) => v.is(ProviderDescriptor, item))).toBe(true);
  });

  it('adds their names to those who have a display name in common', () => {
    const displayNames = new Map([
      ['home', 'OpenAI Images'],
      ['work', 'OpenAI Images'],
      ['google', 'Gemini'],
    ]);
    const providers = [...displayNames].map(([name, displayName]) => {
      const provider = createScriptedProvider({ name, models: ['one'], capabilities: anything });
      return { ...provider, describe: () => ({ ...provider.describe(), displayName }) };
    });
    const registry = createProviderRegistry(providers, 'home');

    const { items } = createProviderInventory({ registry }).list(100, undefined);

    expect(items.map(({ display_name }) => display_name)).toEqual([
      'Gemini',
      'OpenAI Images (home)',
      'OpenAI Images (work)',
    ]);
  });

  it.each([1, 2, 3, 4, 5, 6, 100])('leads through all of them by name, %i a page', (limit) => {
    const inventory = inventoryOf(NAMES, 'alpha');
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;

    do {
      const page = inventory.list(limit, cursor);
      seen.push(...page.items.map(({ name }) => name));
      cursor = page.next_cursor;
      pages += 1;
    } while (cursor !== undefined);

    expect(seen).toEqual(['alpha', 'bravo', 'charlie', 'delta', 'echo']);
    expect(pages).toBe(Math.ceil(NAMES.length / limit));
  });

  it('continues with another page size where the last page ended', () => {
    const inventory = inventoryOf(NAMES, 'alpha');
    const first = inventory.list(2, undefined);

    const second = inventory.list(3, first.next_cursor);

    expect(second.items.map(({ name }) => name)).toEqual(['charlie', 'delta', 'echo']);
    expect(second).not.toHaveProperty('next_cursor');
  });

  it('takes a cursor that another start of the service gave', () => {
    const given = inventoryOf(NAMES, 'alpha').list(4, undefined).next_cursor;

    const { items } = inventoryOf(NAMES, 'alpha').list(4, given);

    expect(items.map(({ name }) => name)).toEqual(['echo']);
  });

  it.each([
    ['nothing', ''],
    ['a plain name', 'alpha'],
    ['an unknown name', Buffer.from('zulu').toString('base64url')],
    ['padding', `${Buffer.from('alpha').toString('base64url')}=`],
    ['a number', '2'],
    ['anything long', 'x'.repeat(1024)],
  ])('refuses a cursor of %s', (_, cursor) => {
    const inventory = inventoryOf(NAMES, 'alpha');

    expect(() => inventory.list(2, cursor)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'cursor' }),
    );
  });

  it('returns the document of a model, or of the default one', () => {
    const inventory = inventoryOf(NAMES, 'alpha');

    const documents = [
      inventory.capabilities('echo', undefined),
      inventory.capabilities('echo', 'two'),
    ];

    expect(documents.map(({ model }) => model)).toEqual(['one', 'two']);
    expect(documents.every((document) => v.is(CapabilityDocument, document))).toBe(true);
  });

  it('does not know a provider that is not registered', () => {
    expect(() => inventoryOf(NAMES, 'alpha').capabilities('zulu', undefined)).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
  });

  it('refuses an unknown model at the query parameter of that name', () => {
    expect(() => inventoryOf(NAMES, 'alpha').capabilities('echo', 'three')).toThrow(
      expect.objectContaining({
        code: 'unsupported_capability',
        param: 'model',
        details: { field: 'model', supported_models: ['one', 'two'] },
      }),
    );
  });
});

function inventoryOf(names: readonly string[], defaultName: string) {
  const providers = names.map((name) =>
    createScriptedProvider({ name, models: ['one', 'two'], capabilities: anything }),
  );
  return createProviderInventory({ registry: createProviderRegistry(providers, defaultName) });
}
