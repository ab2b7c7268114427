import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStoredInputs, toStoredInput } from '../../../lib/inputs/stored-inputs.ts';
import type { StoredInputFiles } from '../../../lib/inputs/stored-inputs-port.ts';

const forever = new AbortController().signal;
const clock = { nowMs: () => 1_700_000_000_000 };

function image(content: string) {
  const bytes = Buffer.from(content);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

const one = image('one');
const two = image('two');

/**
 * Creates stored inputs over files in memory, whose steps the scheduler orders. Jobs are names with the inputs that they
 * need.
 */
function openKeeper(pause: () => Promise<void> = async () => {}) {
  const kept = new Set<string>();
  const jobs = new Map<string, readonly string[]>();
  const overlapping = new Map<string, number>();
  const alone = async (sha256: string, change: () => void) => {
    overlapping.set(sha256, (overlapping.get(sha256) ?? 0) + 1);
    expect(overlapping.get(sha256)).toBe(1);
    await pause();
    change();
    await pause();
    overlapping.set(sha256, 0);
  };
  const files: StoredInputFiles = {
    isShared: false,
    put: (sha256) => alone(sha256, () => void kept.add(sha256)),
    async remove(sha256, isNeeded) {
      if (!(await isNeeded())) await alone(sha256, () => void kept.delete(sha256));
    },
    read: async () => undefined,
    readWhole: async () => undefined,
    stamp: async () => undefined,
    async *list() {
      yield [...kept];
    },
  };
  const isNeeded = async (sha256: string) => {
    await pause();
    return [...jobs.values()].some((needs) => needs.includes(sha256));
  };
  const keeper = createStoredInputs({ files, isNeeded, clock });
  return {
    kept,
    jobs,
    files,
    keeper,
    /** Accepts a job, as the job service does. */
    accept: (name: string, images: readonly (typeof one)[]) =>
      keeper.keepFor(images, forever, async () => {
        await pause();
        for (const { sha256 } of images) expect(kept).toContain(sha256);
        jobs.set(
          name,
          images.map(({ sha256 }) => sha256),
        );
      }),
    /** Removes an ended job, as the job service does. */
    async end(name: string) {
      const needs = jobs.get(name) ?? [];
      jobs.delete(name);
      await pause();
      await keeper.removeUnneeded(needs);
    },
  };
}

describe('createStoredInputs', () => {
  it('stores the images before the job is accepted, and keeps them', async () => {
    const { accept, kept } = openKeeper();

    await accept('job', [one, two, one]);

    expect([...kept].sort()).toEqual([one.sha256, two.sha256].sort());
  });

  it('returns the result of the acceptance', async () => {
    const { keeper } = openKeeper();

    expect(await keeper.keepFor([one], forever, async () => 'accepted')).toBe('accepted');
  });

  it('removes the images of a rejected job', async () => {
    const { keeper, kept } = openKeeper();
    const refusal = new Error('full');

    const kept1 = keeper.keepFor([one], forever, () => Promise.reject(refusal));

    await expect(kept1).rejects.toBe(refusal);
    expect(kept.size).toBe(0);
  });

  it('removes the images of a repeated request that created no job', async () => {
    const { keeper, kept } = openKeeper();

    await keeper.keepFor([one], forever, async () => 'an earlier job, ended long ago');

    expect(kept.size).toBe(0);
  });

  it('removes an image after the last job that shares it was removed', async () => {
    const { accept, end, kept } = openKeeper();
    await accept('first', [one]);
    await accept('second', [one, two]);

    await end('first');
    const afterFirst = [...kept];
    await end('second');

    expect(afterFirst.sort()).toEqual([one.sha256, two.sha256].sort());
    expect(kept.size).toBe(0);
  });

  it('does not accept a job if an image cannot be stored', async () => {
    const { files, jobs } = openKeeper();
    const full = new Error('full');
    const keeper = createStoredInputs({
      files: { ...files, put: () => Promise.reject(full) },
      isNeeded: async () => false,
      clock,
    });

    const accepting = keeper.keepFor([one], forever, async () => jobs.set('job', []));

    await expect(accepting).rejects.toBe(full);
    expect(jobs.size).toBe(0);
  });

  it('resolves even if the removal of unneeded images fails', async () => {
    const { files } = openKeeper();
    const keeper = createStoredInputs({
      files,
      isNeeded: () => Promise.reject(new Error('the database is busy')),
      clock,
    });

    expect(await keeper.keepFor([one], forever, async () => 'accepted')).toBe('accepted');
  });

  it.each([
    ['tells when the images were stored if other processes may remove images', true, clock.nowMs()],
    ['tells no time if no other process removes images', false, undefined],
  ])('%s', async (_, isShared, storedMs) => {
    const { files } = openKeeper();
    const shared = { ...files, isShared };
    const keeper = createStoredInputs({ files: shared, isNeeded: async () => false, clock });

    expect(await keeper.keepFor([one], forever, async (told) => told)).toBe(storedMs);
  });

  it('does not accept a job of a disconnected client', async () => {
    const { keeper, jobs, kept } = openKeeper();
    const client = new AbortController();
    const reason = new Error('the client disconnected');

    const before = keeper.keepFor([one], AbortSignal.abort(reason), async () => jobs.set('a', []));
    await expect(before).rejects.toBe(reason);
    const during = keeper.keepFor([one], client.signal, async () => jobs.set('b', []));
    client.abort(reason);

    await expect(during).rejects.toBe(reason);
    expect([jobs.size, kept.size]).toEqual([0, 0]);
  });

  it('removes images that no job needs in a sweep', async () => {
    const { accept, keeper, kept } = openKeeper();
    await accept('job', [one]);
    kept.add(two.sha256);

    await keeper.sweep(forever);

    expect([...kept]).toEqual([one.sha256]);
  });

  it('stops a sweep whose signal aborts', async () => {
    const { keeper, kept } = openKeeper();
    kept.add(two.sha256);
    const reason = new Error('stopping');

    await expect(keeper.sweep(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(kept.size).toBe(1);
  });

  it('keeps exactly the images that jobs need, for any order of steps', async () => {
    const images = [one, two, image('three')];
    const someOf = fc.subarray(images, { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.record({ needs: someOf, ends: fc.boolean(), refused: fc.boolean() }), {
          minLength: 2,
          maxLength: 6,
        }),
        async (scheduler, plans) => {
          const { accept, end, jobs, keeper, kept } = openKeeper(() =>
            scheduler.schedule(Promise.resolve()),
          );
          const lives = plans.map(async ({ needs, ends, refused }, index) => {
            if (refused) {
              const refuse = () => Promise.reject(new Error('full'));
              await keeper.keepFor(needs, forever, refuse).catch(() => {});
              return;
            }
            await accept(`job ${index}`, needs);
            if (ends) await end(`job ${index}`);
          });
          const sweep = keeper.sweep(forever);

          await scheduler.waitFor(Promise.all([...lives, sweep]));

          expect([...kept].sort()).toEqual([...new Set([...jobs.values()].flat())].sort());
        },
      ),
    );
  });
});

describe('toStoredInput', () => {
  it('describes an image without its bytes', () => {
    const image = { ...one, format: 'webp', width: 30, height: 20, orientation: 1 } as const;

    expect(toStoredInput(image)).toEqual({
      type: 'stored',
      sha256: one.sha256,
      media_type: 'image/webp',
      bytes: 3,
      width: 30,
      height: 20,
    });
    expect(toStoredInput(image, 'a.webp')).toMatchObject({ filename: 'a.webp' });
  });

  it('has the size of the image after its rotation', () => {
    const turned = { ...one, format: 'jpeg', width: 30, height: 20, orientation: 6 } as const;

    expect(toStoredInput(turned)).toMatchObject({ width: 20, height: 30 });
  });
});
