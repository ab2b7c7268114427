import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { identifyInputs } from '../../../lib/inputs/input-identities.ts';
import { createTimeSlices } from '../../../lib/platform/time-slices.ts';
import { slices } from '../../support/slices.ts';

const source = (bytes: Buffer) => ({ kind: 'inline', field: 'images[0]', bytes }) as const;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const forever = new AbortController().signal;

describe('identifyInputs', () => {
  it('hashes every inline image', async () => {
    const [one, two, three, four] = ['1', '2', '3', '4'].map((text) => Buffer.from(text));
    const sources = {
      images: [source(one!), source(two!)],
      mask: source(three!),
      references: [source(four!)],
    };

    const identities = await identifyInputs(sources, slices, forever);

    expect(identities).toEqual({
      images: [sha256(one!), sha256(two!)],
      mask: sha256(three!),
      references: [sha256(four!)],
    });
  });

  it('identifies artifacts, remote and stored images without loading them', async () => {
    const sources = {
      images: [
        { kind: 'artifact', field: 'images[0]', artifactId: 'a1' },
        { kind: 'remote', field: 'images[1].url', url: 'https://a.test/b.png' },
      ],
      references: [
        { kind: 'stored', field: 'reference_images[0]', sha256: 'b'.repeat(64), byteLength: 7 },
      ],
    } as const;

    const identities = await identifyInputs(sources, slices, forever);

    expect(identities).toEqual({
      images: ['artifact:a1', 'url:https://a.test/b.png'],
      references: ['b'.repeat(64)],
    });
  });

  it('yields to other work while it hashes a large image, and stops on abort', async () => {
    const client = new AbortController();
    const reason = new BridgeError('cancelled', 'the client disconnected');
    let readings = 0;
    // This clock uses up the time slice with each step.
    const slow = createTimeSlices({ monotonicMs: () => (readings += 10) });
    const sources = { images: [source(Buffer.alloc(12_000_000))], references: [] };
    setImmediate(() => client.abort(reason));

    await expect(identifyInputs(sources, slow, client.signal)).rejects.toBe(reason);
  });
});
