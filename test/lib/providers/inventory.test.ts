import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  CapabilityDocument,
  ProviderDescriptor,
} from '../../../lib/contract/resources/provider.ts';
import { createSealedCursors } from '../../../lib/cursors/sealed-cursor.ts';
import { createProviderInventory } from '../../../lib/providers/inventory.ts';
import { createProviderRegistry } from '../../../lib/providers/registry.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { anything } from '../generation/capability-documents.ts';

const cursors = createSealedCursors(Buffer.alloc(32, 7));

const NAMES = ['delta', 'alpha', 'echo', 'bravo', 'charlie'];

describe('createProviderInventory', () => {
  it('describes each provider in the form of the contract', () => {
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

  it('adds the name of a provider to a display name that several providers share', () => {
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

    const { items } = createProviderInventory({ registry, cursors }).list(100, undefined);

    expect(items.map(({ display_name }) => display_name)).toEqual([
      'Gemini',
      'OpenAI Images (home)',
      'OpenAI Images (work)',
    ]);
  });

  it.each([1, 2, 3, 4, 5, 6, 100])('pages through all providers by name, %i a page', (limit) => {
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

  it('continues after the last page with a different page size', () => {
    const inventory = inventoryOf(NAMES, 'alpha');
    const first = inventory.list(2, undefined);

    const second = inventory.list(3, first.next_cursor);

    expect(second.items.map(({ name }) => name)).toEqual(['charlie', 'delta', 'echo']);
    expect(second).not.toHaveProperty('next_cursor');
  });

  it('accepts a cursor that an earlier process returned', () => {
    const given = inventoryOf(NAMES, 'alpha').list(4, undefined).next_cursor;

    const { items } = inventoryOf(NAMES, 'alpha').list(4, given);

    expect(items.map(({ name }) => name)).toEqual(['echo']);
  });

  it.each([
    ['nothing', ''],
    ['a plain name', 'alpha'],
    ['a name in base64', Buffer.from('alpha').toString('base64url')],
    ['another list', cursors.write(['presets'], Buffer.from('alpha'))],
    ['padding', `${Buffer.from('alpha').toString('base64url')}=`],
    ['a number', '2'],
    ['anything long', 'x'.repeat(1024)],
  ])('rejects a cursor of %s', (_, cursor) => {
    const inventory = inventoryOf(NAMES, 'alpha');

    expect(() => inventory.list(2, cursor)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'cursor' }),
    );
  });

  it('returns the capabilities of the given model or of the default model', () => {
    const inventory = inventoryOf(NAMES, 'alpha');

    const documents = [
      inventory.capabilities('echo', undefined),
      inventory.capabilities('echo', 'two'),
    ];

    expect(documents.map(({ model }) => model)).toEqual(['one', 'two']);
    expect(documents.every((document) => v.is(CapabilityDocument, document))).toBe(true);
  });

  it('throws not_found for a provider that is not registered', () => {
    expect(() => inventoryOf(NAMES, 'alpha').capabilities('zulu', undefined)).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
  });

  it('rejects an unknown model and names the query parameter', () => {
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
  return createProviderInventory({
    registry: createProviderRegistry(providers, defaultName),
    cursors,
  });
}
