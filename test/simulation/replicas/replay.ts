import type { Clock } from '../../../lib/platform/clock.ts';
import {
  lostOutcome,
  type ReplayPolicies,
  type ReplayStore,
} from '../../../lib/replay/replay-store-port.ts';
import { createMemoryReplayStore } from '../../../lib/storage/memory/replay-store.ts';
import { waitUntilFound } from '../../../lib/storage/postgres/waiting.ts';
import { NO_WAKE_UPS } from '../../support/no-wake-ups.ts';
import type { Replica } from './replica.ts';

/** The facts about an entry that concern several replicas. */
interface Place {
  readonly owner: string;
  readonly guests: PromiseWithResolvers<void>;
  /** The time at which a client of another replica was detached. */
  guestLeftMs: number | undefined;
  isRunning: boolean;
}

interface ReplayHolder extends Pick<Replica, 'owner' | 'lookEveryMs' | 'refuseCut'> {
  readonly clock: Clock;
  readonly policies: ReplayPolicies;
  isGone(owner: string): boolean;
  judge(): Promise<boolean>;
}

/**
 * Creates the entries of all replicas: one store in memory, which outlives the replicas, and the owner of each entry. Work of a
 * replica that is gone ends with an unknown outcome.
 */
export function createSharedReplay(databaseClock: Clock) {
  const places = new Map<string, Place>();
  let opened: ReturnType<typeof createMemoryReplayStore> | undefined;

  return {
    /** Opens the entries for one replica. All replicas have the same policies. */
    open({ owner, clock, lookEveryMs, policies, isGone, judge, refuseCut }: ReplayHolder) {
      opened ??= createMemoryReplayStore({ clock: databaseClock, policies });
      const entries = opened;
      const waiting = { clock, wakeUps: NO_WAKE_UPS, pollMs: lookEveryMs };

      async function settleGone(): Promise<void> {
        if (!(await judge())) return;
        for (const [id, place] of places) {
          if (!place.isRunning || !isGone(place.owner)) continue;
          place.isRunning = false;
          await entries.finish(id, lostOutcome(), 0);
        }
      }

      /** Runs the end of work, unless another replica has ended the work. */
      async function end(id: string, write: () => Promise<void>): Promise<void> {
        const place = places.get(id);
        if (!place?.isRunning) return;
        place.isRunning = false;
        await write();
      }

      /** Waits for the entry, and looks regularly whether its replica is gone. */
      async function untilKnown<T>(wait: Promise<T>, signal: AbortSignal): Promise<T> {
        const ended = new AbortController();
        const either = AbortSignal.any([signal, ended.signal]);
        const looking = waitUntilFound(
          waiting,
          '',
          async () => {
            refuseCut();
            await settleGone();
            return undefined;
          },
          either,
        ).catch(() => {});
        return wait.finally(() => {
          ended.abort();
          return looking;
        });
      }

      const store: ReplayStore = {
        ...entries,
        async claim(request) {
          refuseCut();
          await settleGone();
          const claimed = await entries.claim(request);
          if (claimed.state === 'started') {
            const guests = Promise.withResolvers<void>();
            places.set(request.id, { owner, guests, guestLeftMs: undefined, isRunning: true });
          } else if (places.get(claimed.id)?.owner !== owner) {
            places.get(claimed.id)?.guests.resolve();
          }
          return claimed;
        },
        finish: (id, outcome, bytes) => end(id, () => entries.finish(id, outcome, bytes)),
        owe: (id) => end(id, () => entries.owe(id)),
        async release(id, isReplied) {
          const place = places.get(id);
          if (place && place.owner !== owner) place.guestLeftMs = databaseClock.nowMs();
          await entries.release(id, isReplied);
        },
        async abandon(id) {
          const leftMs = places.get(id)?.guestLeftMs;
          const isLate =
            leftMs === undefined || leftMs <= databaseClock.nowMs() - policies.retry.keepMs;
          return isLate && (await entries.abandon(id));
        },
        untilStarted: (id, signal) => untilKnown(entries.untilStarted(id, signal), signal),
        untilSettled: (id, signal) => untilKnown(entries.untilSettled(id, signal), signal),
        async untilAttached(id, signal) {
          const guests = places.get(id)?.guests.promise;
          await Promise.race([entries.untilAttached(id, signal), ...(guests ? [guests] : [])]);
        },
      };
      return store;
    },
  };
}
