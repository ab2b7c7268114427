import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactStore } from '../../lib/artifacts/artifact-store-port.ts';
import type { JobParent, JobRecord, JobStore, NewJob } from '../../lib/jobs/job-store-port.ts';
import { CREATED_SECS, editOf, FAILURE, jobResult, newJob, WIDE } from '../support/jobs.ts';

interface Opened {
  readonly store: JobStore;
  readonly artifacts: ArtifactStore;
  close(): Promise<void>;
}

const SCOPE = 'anonymous';
const [FIRST, SECOND] = ['a'.repeat(32), 'b'.repeat(32)];
const PRUNE_ALL = { completedBeforeSecs: 1e12, maxRetained: 0, maxRetainedBytes: 0, batch: 100 };

function parentOf(job: Pick<JobRecord, 'id'>, more: Partial<JobParent> = {}): JobParent {
  const facts = { name: 'cats/fox.png', width: 640, height: 480, createdSecs: CREATED_SECS };
  return { ...facts, input: 0, artifactId: FIRST, jobId: job.id, image: 0, ...more };
}

/** The contract of the lineage in every job store. */
export function describeJobLineage(label: string, open: () => Promise<Opened>): void {
  describe(`JobStore, its lineage: ${label}`, () => {
    let opened: Opened;
    let store: JobStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    async function submitted(overrides: Partial<NewJob> = {}): Promise<JobRecord> {
      return (await store.submit(newJob(overrides), WIDE)).job;
    }

    /** Resolves with a running job and its pending artifacts. */
    async function running(ids: readonly string[]) {
      const { sequence, id } = await submitted();
      await store.claim(CREATED_SECS);
      for (const [index, artifact] of ids.entries()) {
        const record = {
          ...{ id: artifact, scope: SCOPE, width: 640, height: 480, bytes: 9 },
          ...{
            format: 'png' as const,
            sha256: 'ab'.repeat(32),
            createdSecs: CREATED_SECS,
            name: `${artifact}.png`,
          },
        };
        await opened.artifacts.claim([record], { job: sequence, facts: { index } });
      }
      return { sequence, id };
    }

    test('the images of a job that succeeded are found with their positions', async () => {
      const { sequence, id } = await running([FIRST, SECOND]);
      const before = await store.listImages(SCOPE, [FIRST, SECOND]);

      const publications = [FIRST, SECOND];
      const result = jobResult(publications);
      await store.settle(sequence, { status: 'succeeded', completedSecs: 9, result, publications });

      expect(before).toEqual([]);
      const found = await store.listImages(SCOPE, [SECOND, FIRST, 'c'.repeat(32)]);
      expect(found.toSorted((a, b) => a.image - b.image)).toEqual([
        { artifactId: FIRST, jobId: id, image: 0 },
        { artifactId: SECOND, jobId: id, image: 1 },
      ]);
      expect(await store.listImages('other', [FIRST])).toEqual([]);
    });

    test('the images of a job that failed are found', async () => {
      const { sequence, id } = await running([FIRST]);

      const end = { status: 'failed', completedSecs: 9, error: FAILURE } as const;
      await store.settle(sequence, { ...end, publications: [FIRST] });

      expect(await store.listImages(SCOPE, [FIRST])).toEqual([
        { artifactId: FIRST, jobId: id, image: 0 },
      ]);
    });

    test('a job is stored with its parents, and keeps them when their jobs are removed', async () => {
      const { sequence, id } = await running([]);
      const { jobId: _, image: __, ...withoutJob } = parentOf({ id }, { input: 2 });
      const parents = [parentOf({ id }), withoutJob];

      const child = await submitted({ parents });
      const end = { status: 'failed', completedSecs: 9, error: FAILURE } as const;
      await store.settle(sequence, end);
      await store.prune(PRUNE_ALL);

      expect(child.parents).toEqual(parents);
      expect(await store.find(SCOPE, id)).toBeUndefined();
      expect((await store.find(SCOPE, child.id))?.parents).toEqual(parents);
    });

    test('the derived jobs are listed once each, in pages, newest first', async () => {
      const source = await submitted();
      const twice = [parentOf(source), parentOf(source, { input: 1, image: 1 })];
      const first = await submitted({ parents: twice });
      await submitted({ parents: [parentOf({ id: 'another' })] });
      await submitted({ scope: 'other', parents: twice });
      const second = await submitted({ parents: twice });
      const third = await submitted({ parents: [parentOf(source)] });

      const page = await store.listDerived(SCOPE, source.id, { limit: 2 });
      const before = second.sequence;
      const rest = await store.listDerived(SCOPE, source.id, { before, limit: 2 });

      expect(page.items.map(({ id }) => id)).toEqual([third.id, second.id]);
      expect(page.more).toBe(true);
      expect(rest.items.map(({ id }) => id)).toEqual([first.id]);
      expect(rest.more).toBe(false);
    });

    test('the kin of jobs are their parents and their children, and no more children than the limit', async () => {
      const source = await submitted();
      const child = await submitted({ parents: [parentOf(source)] });
      const newer = await submitted({ parents: [parentOf(source), parentOf(child, { input: 1 })] });
      await submitted({ scope: 'other', parents: [parentOf(source)] });

      const all = await store.listKin(SCOPE, [source.id, child.id, 'unknown'], 9);
      const cut = await store.listKin(SCOPE, [source.id], 1);
      const foreign = await store.listKin('other', [child.id], 9);

      expect(all.jobs.toSorted((a, b) => a.sequence - b.sequence)).toEqual([
        { id: source.id, sequence: source.sequence, parents: [] },
        { id: child.id, sequence: child.sequence, parents: [parentOf(source)] },
      ]);
      expect(all.children).toEqual([newer.id, child.id]);
      expect(cut.children).toEqual([newer.id]);
      expect(foreign).toEqual({ jobs: [], children: [] });
    });

    test('the masks of jobs are listed with their places among the input images', async () => {
      const [one, two] = editOf(['c'.repeat(64), 'd'.repeat(64)], 70).images;
      if (one === undefined || two === undefined) throw new Error('no images');
      const mask = { ...two, sha256: 'e'.repeat(64), width: 640, height: 480 };
      const request = { ...editOf([]), images: [one], mask, reference_images: [two] };
      const masked = await submitted({ request });
      const second = await submitted({ request: { ...request, images: [one, two] } });
      const plain = await submitted({ request: { ...request, mask: null } });
      const foreign = await submitted({ scope: 'other', request });
      const unasked = await submitted({ request });
      const sequences = [masked, second, plain, foreign].map(({ sequence }) => sequence);

      const found = await store.listMasks(SCOPE, sequences);

      expect(found.toSorted((a, b) => a.sequence - b.sequence)).toEqual([
        { sequence: masked.sequence, input: 1, mask },
        { sequence: second.sequence, input: 2, mask },
      ]);
      expect(await store.listMasks('other', [unasked.sequence])).toEqual([]);
    });

    /** Resolves with an ended job and its two images. */
    async function ended() {
      const { sequence, id } = await running([FIRST, SECOND]);
      const publications = [FIRST, SECOND];
      const result = jobResult(publications);
      await store.settle(sequence, { status: 'succeeded', completedSecs: 9, result, publications });
      return { sequence, id };
    }

    const factsOf = (id: string) => ({ id, width: 640, height: 480, format: 'png', bytes: 1234 });
    const summaryOf = async (sequence: number) => (await store.summaries(SCOPE, [sequence]))[0];

    test('a favourite image makes its job a favourite until the last mark is removed', async () => {
      const { sequence, id } = await ended();
      const set = (image: string, favorite: boolean) =>
        store.markImage(SCOPE, image, { favorite, atSecs: 50 });

      const first = await set(FIRST, true);
      await set(SECOND, true);
      await set(FIRST, false);
      const kept = await store.find(SCOPE, id);
      const counted = await store.totals();
      await set(SECOND, false);

      const artifact = { ...factsOf(FIRST), favorite: true };
      expect(first).toEqual({ jobId: id, position: 0, artifact });
      const marked = [{ ...factsOf(SECOND), favorite: true }];
      expect(kept).toMatchObject({ favorite: true, updatedSecs: 50, marked });
      expect(counted.favorite).toBe(1);
      expect(await summaryOf(sequence)).toMatchObject({
        favorite: false,
        artifacts: [factsOf(FIRST), factsOf(SECOND)],
      });
      expect((await store.totals()).favorite).toBe(0);
    });

    test('a job that was made a favourite itself stays a favourite without a favourite image', async () => {
      const { sequence, id } = await ended();
      const set = (image: string, favorite: boolean) =>
        store.markImage(SCOPE, image, { favorite, atSecs: 50 });
      const setJob = (favorite: boolean) => store.update(SCOPE, id, { favorite, atSecs: 60 });

      await set(FIRST, true);
      await setJob(true);
      await set(FIRST, false);
      const own = await summaryOf(sequence);
      await set(FIRST, true);
      await setJob(false);
      await set(SECOND, true);
      await set(FIRST, false);
      await set(SECOND, false);
      const none = await summaryOf(sequence);

      expect([own?.favorite, none?.favorite]).toEqual([true, false]);
      expect((await store.totals()).favorite).toBe(0);
    });

    test('a job is hidden with its last image and shown with its first', async () => {
      const { sequence } = await ended();
      const set = (image: string, hidden: boolean) =>
        store.markImage(SCOPE, image, { hidden, atSecs: 50 });

      await set(FIRST, true);
      const half = await summaryOf(sequence);
      await set(SECOND, true);
      const hidden = await summaryOf(sequence);
      const counted = await store.totals();
      await set(FIRST, false);
      const shown = await summaryOf(sequence);

      expect(half?.deletedSecs).toBeUndefined();
      expect(half?.artifacts).toEqual([{ ...factsOf(FIRST), hidden: true }, factsOf(SECOND)]);
      expect(hidden?.deletedSecs).toBe(50);
      expect(counted.hidden).toBe(1);
      expect(shown?.deletedSecs).toBeUndefined();
      expect(shown?.artifacts).toEqual([factsOf(FIRST), { ...factsOf(SECOND), hidden: true }]);
    });

    test('the note of an image is stored, counts in the size of its job, and is removed', async () => {
      await ended();
      const before = await store.totals();
      const { latest } = await store.changes(SCOPE);
      const write = (note: string) => store.markImage(SCOPE, FIRST, { note, atSecs: 50 });

      const noted = await write('für das Titelbild');
      const during = await store.totals();
      await write('für das Titelbild');
      const after = await store.changes(SCOPE);
      const removed = await write('');

      expect(noted?.artifact).toEqual({ ...factsOf(FIRST), note: 'für das Titelbild' });
      const added = Buffer.byteLength(',"note":"für das Titelbild"');
      expect(during.logicalBytes).toBe(before.logicalBytes + added);
      expect(after.latest).toBe(latest + 1);
      expect(removed?.artifact).toEqual(factsOf(FIRST));
      expect(await store.totals()).toEqual(before);
    });

    test('an image of another scope, of a running job or of no job cannot be marked', async () => {
      await running([FIRST]);
      const unfinished = await store.markImage(SCOPE, FIRST, { favorite: true, atSecs: 50 });
      const unknown = await store.markImage(SCOPE, 'c'.repeat(32), { favorite: true, atSecs: 50 });
      const { sequence } = await running([SECOND]);
      const end = { status: 'failed', completedSecs: 9, error: FAILURE } as const;
      await store.settle(sequence, { ...end, publications: [SECOND] });

      const foreign = await store.markImage('other', SECOND, { favorite: true, atSecs: 50 });
      const own = await store.markImage(SCOPE, SECOND, { favorite: true, atSecs: 50 });

      expect([unfinished, unknown, foreign]).toEqual([undefined, undefined, undefined]);
      expect(own?.artifact.favorite).toBe(true);
    });
  });
}
