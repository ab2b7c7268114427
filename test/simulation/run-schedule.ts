import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import sharp from 'sharp';
import { createSeeded } from '../support/seeded.ts';
import { createBridge, openFolder } from './bridge.ts';
import { createClients } from './clients.ts';
import { createFleet } from './fleet.ts';
import { createHeldEngine } from './held-engine.ts';
import { createStateReader, type StoredJob } from './invariants.ts';
import {
  checkBudgets,
  checkCalls,
  checkCounts,
  checkJobs,
  checkKeys,
  checkSpending,
} from './ledger-model.ts';
import { createMemoryDisk } from './memory-files.ts';
import { createReceivers } from './receivers.ts';
import { type Action, INPUTS, type Schedule, TOKENS } from './schedule.ts';
import { createServices, hashOf } from './services.ts';
import { createOwnState, createReplicatedState } from './simulated-state.ts';
import { createTurns } from './turns.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** The observations of one run of a schedule. */
export interface RunReport {
  readonly violations: readonly string[];
  /** The number of timers that ran: calls of stores, services and receivers, replies, tasks and actions. */
  readonly events: number;
  /** The SHA-256 of all events in their order. */
  readonly trace: string;
  /** The last events, or all of them. */
  readonly story: readonly string[];
  /** The simulated time in milliseconds. */
  readonly passedMs: number;
  readonly sold: number;
  /** The number of requests and of jobs that were refused because of a budget. */
  readonly beyondBudget: { readonly requests: number; readonly jobs: number };
  readonly lives: number;
  /** The jobs and files that are left when everything has ended and expired records were removed. */
  readonly stored: { readonly jobs: number; readonly files: number };
}

interface Options {
  /** Keeps all events for the report. */
  readonly keepsStory?: boolean;
}

const START_MS = Date.UTC(2026, 0, 1);
const CHECKED_EVERY = 50;
const KEPT_EVENTS = 200;
/** A run in which a replica has more events does not end. */
const MAX_EVENTS = 30_000;
const MAX_EVENTS_AN_ACTION = 1000;
const LEASE_MS = 30_000;
/** The time after which new replicas have taken over everything that killed replicas left. */
const TAKEOVER_MS = 4 * LEASE_MS;
/** The time after which a replica may remove a stored image that no job needs. */
const SHARED_INPUTS_MS = 3_600_000;
/** The largest difference between the clock of a replica and the true time. */
const LARGEST_SKEW_MS = 120_000;
/** The ages at which jobs and images are removed. The seed chooses one. */
const RETENTION_SECS = [21_600, 604_800] as const;
/** The longest time from the end of a job to the last attempt of its webhook, with jitter. */
const LONGEST_DELIVERY_MS = 40 * 3_600_000;
const FIRST_LEAP_MS = 1000;
const LONGEST_LEAP_MS = 3_600_000;
const BETWEEN_LEAPS_MS = 20_000;
/** The time after which every running call has ended by itself or by its deadline. */
const CALLS_END_MS = 600_000;

export type Simulation = Awaited<ReturnType<typeof openSimulation>>;

/** Opens what all runs share: the image engine and the images of the services. */
export async function openSimulation() {
  const turns = createTurns();
  const { engine, close } = createHeldEngine(turns);
  const images = await drawImages();
  return {
    run: (schedule: Schedule, options: Options = {}) =>
      runSchedule({ turns, engine, images }, schedule, options),
    close,
  };
}

interface Shared {
  readonly turns: ReturnType<typeof createTurns>;
  readonly engine: ReturnType<typeof createHeldEngine>['engine'];
  readonly images: readonly Buffer[];
}

/** Runs a schedule until all its actions have ended and nothing is under way, and checks the invariants. */
async function runSchedule(
  { turns, engine, images }: Shared,
  { seed, replicas, actions }: Schedule,
  { keepsStory = false }: Options,
): Promise<RunReport> {
  const retentionSecs = createSeeded(seed).pick(RETENTION_SECS);
  const { folder, config, remove } = await openFolder(fastFolder(), [
    `server.jobs.retention_secs=${retentionSecs}`,
    `artifacts.retention.max_age_secs=${retentionSecs}`,
    'runtime.idempotency.completed_ttl_secs=604800',
  ]);
  const clock = createVirtualClock(START_MS);
  const violations: string[] = [];
  const { log, trace, story } = createEventLog(clock, keepsStory);
  const violate = (violation: string) => {
    log(`VIOLATION ${violation}`);
    if (!violations.includes(violation)) violations.push(violation);
  };
  const disk = createMemoryDisk();
  const services = createServices({ seed, clock, images, log });
  const receivers = createReceivers({ seed, log });
  const shared =
    replicas === 1
      ? undefined
      : createReplicatedState({ seed, folder, leaseMs: LEASE_MS, disk, clock, violate });
  const own = createOwnState(disk, turns);
  let lives = 0;
  const nextNumber = () => {
    lives += 1;
    return lives;
  };
  const parts = { config, turns, services, receivers, engine, tokens: TOKENS, nextNumber };
  const fleet = createFleet({
    ...{ seed, clock, replicas },
    createReplica(nth, isDeaf) {
      const machine = openMachine(clock, seed, nth);
      const state = shared?.openReplica(isDeaf) ?? own;
      const ofReplica = { seed: nth === 0 ? seed : hashOf(seed, 'replica', nth), machine, state };
      return { machine, bridge: createBridge({ ...parts, ...ofReplica, log, violate }) };
    },
  });
  const bridge = { call: fleet.call, lives: () => lives };
  // The wall clock, by which jobs expire, may have been set forward by hours and back again.
  const isPastRetention = (ms: number) => ms > retentionSecs * 500;
  const mayBeRemoved = (atMs: number) => isPastRetention(clock.monotonicMs() - atMs);
  const clients = createClients({ bridge, clock, services, images, mayBeRemoved, log, violate });
  let latestMs = 0;
  const reader = createStateReader(folder, disk, () => {
    latestMs = Math.max(latestMs, fleet.latestMs());
    return latestMs / 1000 - retentionSecs;
  });
  const maxEvents = replicas * Math.max(MAX_EVENTS, actions.length * MAX_EVENTS_AN_ACTION);
  const tokenNames = new Map(
    actions.flatMap((it) => ('request' in it ? [[it.name, it.request.token] as const] : [])),
  );
  const payers = {
    tokens: TOKENS,
    tokenOf: (action: string) => tokenNames.get(action) ?? '',
  };
  let jobsBeyondBudget = 0;
  let stored = { jobs: 0, files: 0 };
  let underWay = 0;
  let events = 0;

  async function perform(action: Action): Promise<void> {
    switch (action.type) {
      case 'job':
        return clients.job(action);
      case 'images':
        return clients.images(action);
      case 'openai':
        return clients.openai(action);
      case 'intrude':
        return clients.intrude(action);
      case 'remove_token':
        return fleet.removeToken(action.token);
      case 'pause':
        return clients.pause(action);
      case 'disk':
        return fleet.failNext(action.replica, action.disk, action.verdicts);
      case 'kill':
        return fleet.kill(action.replica, action.downMs);
      case 'stop':
        return fleet.stop(action.replica, action.graceMs, action.downMs);
      case 'upgrade':
        return fleet.upgrade(action.graceMs, action.downMs);
      case 'freeze':
        return fleet.freeze(action.replica, action.forMs);
      case 'cut':
        return fleet.cut(action.replica, action.forMs);
      case 'deafen':
        return fleet.deafen(action.replica, action.forMs);
      case 'suspend':
        return clock.leap(action.byMs);
      case 'wall_clock':
        latestMs = Math.max(latestMs, fleet.latestMs());
        return fleet.setWallClock(action.replica, action.byMs);
    }
  }

  function begin(action: Action): void {
    underWay += 1;
    log(`ACTION ${action.name} ${action.type}`);
    perform(action)
      .catch((error: unknown) => violate(`${action.name} throws: ${textOf(error)}`))
      .finally(() => {
        underWay -= 1;
      });
  }

  /** Runs the next timer. Returns false after a violation. */
  async function step(): Promise<boolean> {
    await turns.untilIdle();
    fleet.start();
    await turns.untilIdle();
    if (events % CHECKED_EVERY === 0 && lives > 0 && (shared || fleet.isServing())) {
      for (const violation of reader.violations()) violate(violation);
      checkBudgets(reader, services, payers, violate);
    }
    if (violations.length > 0) return false;
    events += 1;
    if (events > maxEvents) violate('the run does not end');
    if (!clock.runNext()) violate('nothing is waiting, and the run has not ended');
    return violations.length === 0;
  }

  async function runActions(): Promise<void> {
    const waiting = [...actions];
    function wait(sinceMs: number): void {
      const [next] = waiting;
      if (!next) return;
      // Waits since the action before, so that a suspension delays all later actions.
      clock.after(next.atMs - sinceMs, () => {
        waiting.shift();
        begin(next);
        wait(next.atMs);
      });
    }
    wait(0);
    while (waiting.length > 0 || underWay > 0) if (!(await step())) return;
  }

  /** Ends all faults and lets everything that is under way end. Idle time is skipped. */
  async function settle(): Promise<void> {
    fleet.heal();
    receivers.heal();
    const isQuiet = () =>
      fleet.isServing() && services.inFlight() === 0 && reader.unfinished() === 0;
    const callsEndMs = clock.monotonicMs() + CALLS_END_MS;
    const endMs = callsEndMs + LONGEST_DELIVERY_MS;
    let leapMs = FIRST_LEAP_MS;
    while (!isQuiet() && clock.monotonicMs() < endMs) {
      if (clock.monotonicMs() > callsEndMs) {
        clock.leap(leapMs);
        leapMs = Math.min(leapMs * 2, LONGEST_LEAP_MS);
      }
      const untilMs = clock.monotonicMs() + BETWEEN_LEAPS_MS;
      while (!isQuiet() && clock.monotonicMs() < untilMs) if (!(await step())) return;
    }
  }

  async function check(): Promise<void> {
    if (reader.unfinished() > 0) violate('a job, a request or a webhook has not ended');
    // What a process could not remove is removed at the next start.
    if (shared) clock.leap(SHARED_INPUTS_MS);
    fleet.killAll();
    const takenOverMs = clock.monotonicMs() + (shared ? TAKEOVER_MS : 0);
    do if (!(await step())) return;
    while (!fleet.isServing() || clock.monotonicMs() < takenOverMs);
    await finish(fleet.runTask('artifact-retention'), step);
    await finish(fleet.runTask('job-retention'), step);
    for (const violation of [...reader.violations(), ...reader.violationsWhenQuiet()]) {
      violate(violation);
    }
    const keyed = new Set(actions.flatMap((it) => (hasKey(it) ? [it.name] : [])));
    checkCalls(services, violate);
    const jobs = new Set(actions.flatMap((it) => (isJob(it) ? [it.name] : [])));
    checkKeys(
      services,
      {
        isKeyed: (action) => keyed.has(action),
        areKept: shared !== undefined,
        // The key of a job is removed with the job.
        mayBeForgotten: (sale, later) =>
          jobs.has(sale.action) && isPastRetention(later.atMs - sale.atMs),
      },
      violate,
    );
    checkCounts(reader, services, payers.tokenOf, violate);
    checkBudgets(reader, services, payers, violate);
    checkSpending(reader, services, payers, violate);
    checkJobs(reader, { clients, receivers, services }, mayBeRemoved, violate);
    jobsBeyondBudget = reader.jobs().filter(isBeyondBudget).length;
    stored = { jobs: reader.jobs().length, files: disk.list().names.length };
  }

  try {
    await runActions();
    if (violations.length === 0) await settle();
    if (violations.length === 0) await check();
  } finally {
    await fleet.close();
    await turns.untilIdle();
    reader.close();
    await shared?.close();
    await remove();
  }
  return {
    violations,
    events,
    trace: trace(),
    story: story(),
    passedMs: clock.monotonicMs(),
    sold: services.sales.reduce((sum, { sold }) => sum + sold, 0),
    beyondBudget: { requests: clients.budgetRefusals(), jobs: jobsBeyondBudget },
    lives,
    stored,
  };
}

/** Opens the machine of a replica. The clock of each replica but the first differs from the true time. */
function openMachine(clock: VirtualClock, seed: number, nth: number) {
  const machine = clock.openMachine();
  const skewMs = (hashOf(seed, 'skew', nth) % (2 * LARGEST_SKEW_MS)) - LARGEST_SKEW_MS;
  if (nth > 0) machine.setWallClock(skewMs);
  return machine;
}

function isBeyondBudget({ error }: Pick<StoredJob, 'error'>): boolean {
  return error !== null && JSON.parse(error).details?.reason === 'budget';
}

/** Returns true if all requests of the action are one request under one key. */
function isJob(action: Action): boolean {
  return action.type === 'job' || (action.type === 'images' && action.isAsync);
}

function hasKey(action: Action): boolean {
  if (action.type === 'openai') return action.request.isKeyed && !action.retryCount;
  return action.type === 'images' && action.request.isKeyed;
}

/** Runs timers until the work has ended. */
async function finish(work: Promise<void>, step: () => Promise<boolean>): Promise<void> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  while (!isOver) if (!(await step())) return;
  await ended;
}

function createEventLog(clock: { monotonicMs(): number }, keepsAll: boolean) {
  const hash = createHash('sha256');
  const lines: string[] = [];
  return {
    log(event: string): void {
      const line = `${clock.monotonicMs()} ${event}`;
      hash.update(`${line}\n`);
      lines.push(line);
      if (!keepsAll && lines.length > 2 * KEPT_EVENTS) lines.splice(0, KEPT_EVENTS);
    },
    trace: () => hash.digest('hex'),
    story: (): readonly string[] => (keepsAll ? lines : lines.slice(-KEPT_EVENTS)),
  };
}

/** Returns a folder in memory if the system has one, because nothing must survive the machine. */
function fastFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

function drawImages(): Promise<readonly Buffer[]> {
  return Promise.all(
    Array.from({ length: INPUTS }, (_, nth) =>
      sharp({ create: { width: 16 + nth, height: 16, channels: 3, background: '#123456' } })
        .png()
        .toBuffer(),
    ),
  );
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
