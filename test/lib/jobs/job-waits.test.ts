import { beforeEach, describe, expect, test } from 'vitest';
import { createJobWaits, type JobWaits } from '../../../lib/jobs/job-waits.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { createTestNotices } from '../../support/test-notices.ts';
import { forever } from './job-rig.ts';

let clock: ManualClock;
let notices: ReturnType<typeof createTestNotices>;
let waits: JobWaits;
let active: string[];
let asked: (readonly string[])[];

beforeEach(() => {
  clock = createManualClock();
  notices = createTestNotices();
  active = [];
  asked = [];
  const store = {
    async listActive(ids: readonly string[]) {
      asked.push(ids);
      return active;
    },
  };
  waits = createJobWaits({ store, notices: notices.port, clock });
});

/** Starts a wait that shows if it has ended. */
function waitFor(id: string, signal = forever) {
  const wait = { isOver: false };
  waits.untilEnded(id, 1000, signal).then(() => {
    wait.isOver = true;
  });
  return wait;
}

const ended = (id: string) => notices.publish({ type: 'ended', id });

describe('createJobWaits', () => {
  test('a wait ends with its own job and not with another one', async () => {
    const started = [waitFor('one'), waitFor('one'), waitFor('other')];

    ended('one');
    await clock.advance(0);
    const after = started.map(({ isOver }) => isOver);
    ended('other');
    await clock.advance(0);

    expect(after).toEqual([true, true, false]);
    expect(started[2]?.isOver).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  test.each<[string, (client: AbortController) => unknown]>([
    ['the time is over', () => clock.advance(1000)],
    ['the client disconnects', (client) => client.abort()],
    ['no job runs in this process any more', () => waits.over()],
  ])('a wait ends when %s, and leaves no timer', async (_, happen) => {
    const client = new AbortController();
    const wait = waitFor('one', client.signal);
    await clock.advance(999);
    const before = wait.isOver;

    await happen(client);
    await clock.advance(0);

    expect([before, wait.isOver]).toEqual([false, true]);
    expect(clock.waiting).toBe(0);
  });

  test('a wait that begins after the end of all work ends at once', async () => {
    waits.over();

    await waits.untilEnded('one', 1000, forever);

    expect(clock.waiting).toBe(0);
  });

  test('one query finds the ends whose notices were lost', async () => {
    active = ['two'];
    const started = [waitFor('one'), waitFor('one'), waitFor('two')];

    notices.publish({ type: 'missed' });
    await clock.advance(0);

    expect(started.map(({ isOver }) => isOver)).toEqual([true, true, false]);
    expect(asked).toEqual([['one', 'two']]);
  });

  test('lost notices cause no query while no request waits', async () => {
    const wait = waitFor('one');
    ended('one');
    await clock.advance(0);

    notices.publish({ type: 'missed' });

    expect(wait.isOver).toBe(true);
    expect(asked).toEqual([]);
  });
});
