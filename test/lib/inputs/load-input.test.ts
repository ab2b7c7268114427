import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { InputSource } from '../../../lib/inputs/input-source.ts';
import type { Fetched } from '../../../lib/net/remote-fetch.ts';
import { openInputLoader } from '../../support/input-loader.ts';

const BYTES = Buffer.from('the bytes of an image');
const { signal } = new AbortController();
const context = { scope: 'mine', signal };
const LIMIT = 1000;

const artifact: InputSource = { kind: 'artifact', field: 'images[1]', artifactId: 'an id' };
const remote: InputSource = { kind: 'remote', field: 'mask.url', url: 'https://a.test/b.png' };
const stored: InputSource = {
  kind: 'stored',
  field: 'images[0]',
  sha256: 'b'.repeat(64),
  byteLength: BYTES.length,
};

function opening(outcome: () => Promise<{ bytes: Buffer }>) {
  const asked: unknown[][] = [];
  const open = (...given: unknown[]) => {
    asked.push(given);
    return outcome();
  };
  return { loader: openInputLoader({ artifacts: { open } }), asked };
}

function fetching(fetched: Fetched) {
  const asked: unknown[][] = [];
  const fetchRemote = async (...given: unknown[]) => {
    asked.push(given);
    return fetched;
  };
  return { loader: openInputLoader({ fetchRemote }), asked };
}

describe('createInputLoader', () => {
  it('returns the bytes of an inline image without a copy', async () => {
    const source: InputSource = { kind: 'inline', field: 'images[0]', bytes: BYTES };

    expect(await openInputLoader().load(source, LIMIT, context)).toBe(BYTES);
  });

  it('opens an artifact in the scope of the request', async () => {
    const { loader, asked } = opening(async () => ({ bytes: BYTES }));

    const loaded = await loader.load(artifact, LIMIT, context);

    expect(loaded).toBe(BYTES);
    expect(asked).toEqual([['mine', 'an id', signal]]);
  });

  it('reports an artifact that does not exist in this scope as unknown', async () => {
    const loading = openInputLoader().load(artifact, LIMIT, context);

    await expect(loading).rejects.toMatchObject({
      code: 'input',
      param: 'images[1]',
      details: { field: 'images[1]', reason: 'unknown_artifact' },
    });
  });

  it.each([
    ['an artifact that was changed', new BridgeError('artifact', 'changed')],
    ['a store that refuses', new BridgeError('overloaded', 'full')],
  ])('does not report %s as an input error', async (_, failure) => {
    const { loader } = opening(() => Promise.reject(failure));

    await expect(loader.load(artifact, LIMIT, context)).rejects.toBe(failure);
  });

  it('fetches a remote image within the remaining limit', async () => {
    const { loader, asked } = fetching({ ok: true, bytes: BYTES });

    const loaded = await loader.load(remote, LIMIT, context);

    expect(loaded).toBe(BYTES);
    expect(asked).toEqual([['https://a.test/b.png', LIMIT, signal]]);
  });

  it.each<[string, Fetched, object]>([
    [
      'a refusal',
      { ok: false, fault: 'address_not_allowed' },
      { field: 'mask.url', reason: 'address_not_allowed' },
    ],
    [
      'a reply of another status',
      { ok: false, fault: 'status_not_ok', status: 404 },
      { field: 'mask.url', reason: 'status_not_ok', status: 404 },
    ],
    [
      'a fetch that took too long',
      { ok: false, fault: 'timed_out' },
      { field: 'mask.url', reason: 'timed_out' },
    ],
  ])('reports %s as an input error of the URL', async (_, fetched, details) => {
    const { loader } = fetching(fetched);

    const loading = loader.load(remote, LIMIT, context);

    await expect(loading).rejects.toMatchObject({ code: 'input', param: 'mask.url', details });
  });

  it('does not fetch if remote images are disabled', async () => {
    await expect(openInputLoader().load(remote, LIMIT, context)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'mask.url',
    });
  });

  it('reads a stored image by its checksum', async () => {
    const asked: unknown[][] = [];
    const read = async (...given: unknown[]) => {
      asked.push(given);
      return BYTES;
    };

    const loaded = await openInputLoader({ stored: { read } }).load(stored, LIMIT, context);

    expect(loaded).toBe(BYTES);
    expect(asked).toEqual([['b'.repeat(64), BYTES.length]]);
  });

  it('reports a stored image that is missing or was changed as an artifact error', async () => {
    await expect(openInputLoader().load(stored, LIMIT, context)).rejects.toMatchObject({
      code: 'artifact',
      details: { reason: 'missing_or_changed' },
    });
  });

  it.each<[string, InputSource]>([
    ['inline', { kind: 'inline', field: 'images[0]', bytes: BYTES }],
    ['stored', stored],
  ])('rejects an image that is %s and too large before it is read', async (_, source) => {
    const loader = openInputLoader({ stored: { read: () => Promise.reject(new Error('read')) } });

    const loading = loader.load(source, BYTES.length - 1, context);

    await expect(loading).rejects.toMatchObject({
      code: 'input',
      param: 'images[0]',
      details: { reason: 'too_many_bytes' },
    });
  });

  it('rejects an artifact that exceeds the remaining limit', async () => {
    const { loader } = opening(async () => ({ bytes: BYTES }));

    await expect(loader.load(artifact, BYTES.length - 1, context)).rejects.toMatchObject({
      code: 'input',
      param: 'images[1]',
      details: { reason: 'too_many_bytes' },
    });
  });
});
