import { describe, expect, test } from 'vitest';
import type { ManifestReport } from '../../../lib/contract/resources/artifact-credentials.ts';
import { toReport } from '../../../lib/provenance/manifest-report.ts';

function storeOf(manifests: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ active_manifest: 'a', manifests, validation_state: 'Valid' });
}

function depthOf({ ingredients }: ManifestReport): number {
  const deeper = ingredients.flatMap(({ manifest }) => (manifest ? [depthOf(manifest)] : []));
  return 1 + Math.max(0, ...deeper);
}

function countOf({ ingredients }: ManifestReport): number {
  return ingredients.reduce((sum, { manifest }) => sum + (manifest ? countOf(manifest) : 0), 1);
}

describe('toReport', () => {
  test('ends after eight levels of ingredients, even in a circle', () => {
    const circle = { ingredients: [{ relationship: 'parentOf', active_manifest: 'a' }] };

    const { manifest } = toReport(storeOf({ a: circle }));

    expect(manifest && depthOf(manifest)).toBe(9);
  });

  test('contains a limited number of manifests if many ingredients share ingredients', () => {
    const twenty = Array.from({ length: 20 }, () => ({
      relationship: 'componentOf',
      active_manifest: 'a',
    }));

    const { manifest } = toReport(storeOf({ a: { ingredients: twenty } }));

    expect(manifest && countOf(manifest)).toBe(256);
  });

  test('shortens texts and removes control characters', () => {
    const issuer = `\u001b[31m${'\u{1f98a}'.repeat(200)}`;

    const { manifest } = toReport(storeOf({ a: { signature_info: { issuer } } }));

    expect([...(manifest?.signer ?? '')]).toHaveLength(128);
    expect(manifest?.signer).toMatch(/^\[31m/);
  });

  test('reads actions of both versions, and skips what is not an action', () => {
    const assertions = [
      {
        label: 'c2pa.actions',
        data: { actions: [{ action: 'c2pa.created', softwareAgent: 'Old 1' }, 7] },
      },
      { label: 'c2pa.actions.v2__1', data: { actions: [{ action: 'c2pa.edited' }] } },
      { label: 'c2pa.actionsX', data: { actions: [{ action: 'c2pa.placed' }] } },
      { label: 'c2pa.actions.v2', data: 'nothing' },
      'nothing',
    ];

    expect(toReport(storeOf({ a: { assertions } })).manifest?.actions).toEqual([
      { action: 'c2pa.created', software: 'Old 1' },
      { action: 'c2pa.edited' },
    ]);
  });

  test.each([
    ['{}'],
    ['[]'],
    ['null'],
    ['{"active_manifest":"a","manifests":[],"validation_state":"Good"}'],
  ])('reports %s as unreadable', (json) => {
    expect(toReport(json)).toEqual({ state: 'unreadable' });
  });
});
