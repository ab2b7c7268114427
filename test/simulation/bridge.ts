import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type App, createApp } from '../../lib/app.ts';
// Loaded here, because loading takes real time, in which a simulated process would seem to wait for nothing.
import '../../lib/app-objects.ts';
import { loadConfig } from '../../lib/config/load-config.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import { type Caller, unnamedCaller } from '../../lib/contract/request/caller.ts';
import { createEventRing } from '../../lib/diagnostics/event-ring.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { causesOf } from '../../lib/log/failure-report.ts';
import { createTraceLog } from '../../lib/log/trace-log.ts';
import { silentMetrics } from '../../lib/metrics/metrics.ts';
import { sleep } from '../../lib/platform/clock.ts';
import type { Ids } from '../../lib/platform/ids.ts';
import type { Task } from '../../lib/platform/task.ts';
import type { Stores } from '../../lib/storage/open-stores.ts';
import { startTasks } from '../../local-runtime/server/task-loop.ts';
import { startWorkerLoop } from '../../local-runtime/server/worker-loop.ts';
import { openHttpSettings } from '../support/invoke.ts';
import { createSeeded } from '../support/seeded.ts';
import {
  createFaultyStores,
  type FaultyStores,
  type StoreStep,
  type Verdict,
} from '../support/simulation/faulty-stores.ts';
import {
  type Handler,
  type Reply,
  readReply,
  type Sent,
  toCallEvent,
} from '../support/simulation/handler-call.ts';
import type { createHeldEngine } from './held-engine.ts';
import type { Receivers } from './receivers.ts';
import type { SimulatedToken } from './schedule.ts';
import type { Services } from './services.ts';
import type { Turns } from './turns.ts';
import type { Machine, ProcessTimers } from './virtual-clock.ts';

/** The state and the files that a process opens. */
export interface OpenedState {
  readonly stores: Stores;
  /** Releases the rows of a process that stops. Undefined if no other process uses the state. */
  leave?(): Promise<void>;
}

/** The faults of one process that concern the state. */
export interface StateFaults {
  /** Throws `overloaded` if the process does not reach the state. */
  refuseCut(): void;
  /** Returns true if the answer to a claim that took effect is lost. */
  losesAnswer(): boolean;
}

/** The state of a simulated bridge, which outlives its processes. */
export interface SimulatedState {
  /** True if several replicas use the state over a network, so that calls begin and end in any order. */
  readonly isShared: boolean;
  open(
    settings: Config,
    outside: Parameters<NonNullable<Parameters<typeof createApp>[1]['openStorage']>>[1],
    faults: StateFaults,
  ): Promise<OpenedState>;
}

interface Deps {
  readonly seed: number;
  readonly config: Config;
  readonly tokens: readonly SimulatedToken[];
  readonly machine: Machine;
  readonly turns: Turns;
  readonly state: SimulatedState;
  readonly services: Services;
  readonly receivers: Receivers;
  readonly engine: ReturnType<typeof createHeldEngine>['engine'];
  readonly log: (event: string) => void;
  /** Returns the number of the next process. */
  readonly nextNumber: () => number;
  /** Reports something that must never happen. */
  readonly violate: (violation: string) => void;
}

/** One process of the bridge, from its start to its end. */
interface Process {
  readonly number: number;
  readonly timers: ProcessTimers;
  isOver: boolean;
  readonly death: Promise<undefined>;
  end(): void;
  stores?: FaultyStores;
  leave?: OpenedState['leave'];
  running?: Running;
}

interface Running {
  readonly app: App;
  readonly tasks: readonly Task[];
  readonly loop: ReturnType<typeof startWorkerLoop>;
  readonly taskLoops: ReturnType<typeof startTasks>;
}

/**
 * Calls that no caller repeats. SQLite never reports them as failed after it has committed them. PostgreSQL remembers claims, and
 * calls a submission unknown.
 */
const NEVER_UNHEARD = new Set(['jobs.claim', 'jobs.resumeAbandoned', 'jobs.submit']);

const WORKERS = 3;
/** The pause of the supervisor before it repeats a start that failed. */
const RESTART_MS = 1000;
const LONGEST_STORE_MS = 12;
const LONGEST_ANSWER_MS = 200;
const LONGEST_NOTIFICATION_MS = 1000;
const SECRET = Buffer.alloc(32, 'simulation');

const SETTINGS = [
  'runtime.circuit_breaker.enabled=false',
  'runtime.default_timeout_ms=120000',
  'runtime.cancellation_grace_ms=5000',
  'images.max_decode_ms=3600000',
  'server.webhooks.enabled=true',
  'server.webhooks.allowed_hosts=["hooks.example"]',
  'server.webhooks.secret_env=WEBHOOK_SECRET',
];

/** Loads the settings of the simulated bridge, with its state in a new folder. */
export async function openFolder(parent: string, set: readonly string[]) {
  const folder = await mkdtemp(join(parent, 'simulation-'));
  const folders = [`state.directory=${folder}`, `artifacts.root=${join(folder, 'artifacts')}`];
  const env = { WEBHOOK_SECRET: `whsec_${SECRET.toString('base64')}` };
  const loaded = await loadConfig({ env, cwd: folder, set: [...folders, ...SETTINGS, ...set] });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return { folder, config: loaded.config, remove: () => rm(folder, { recursive: true }) };
}

export type Bridge = ReturnType<typeof createBridge>;

/** Creates the bridge under simulation. It can be started, killed, stopped and called, and its disks can fail. */
export function createBridge(deps: Deps) {
  const { seed, config, tokens, machine, turns, state, services, receivers, engine, log } = deps;
  const random = createSeeded(seed);
  const ids = createSeededIds(seed, machine);
  const callers = new Map(tokens.map((token) => [`Bearer ${token.name}`, toCaller(token)]));
  const accounts = new Map(tokens.map((token) => [token.name, toCaller(token)]));
  const removed: string[] = [];
  const onRemoval = new Map<() => void, string>();
  let current: Process | undefined;
  let startingUp: Promise<void> | undefined;
  /** Faults of the next writes, by disk. */
  const faults: Record<StoreStep['disk'], Verdict[]> = { state: [], files: [] };
  let isCut = false;
  let answersToLose = 0;

  function newProcess(): Process {
    const { promise: death, resolve } = Promise.withResolvers<undefined>();
    const timers = machine.openProcess();
    return {
      number: deps.nextNumber(),
      timers,
      isOver: false,
      death,
      end: () => resolve(undefined),
    };
  }

  function kill(own: Process | undefined = current): void {
    if (!own || own.isOver) return;
    log(`process ${own.number} ends`);
    own.isOver = true;
    onRemoval.clear();
    own.timers.end();
    services.forgetCalls(own.number);
    own.end();
  }

  function onStep(step: StoreStep): Verdict {
    const verdict = verdictOn(step);
    log(`${step.port}.${step.method}${verdict === 'pass' ? '' : ` ${verdict}`}`);
    return verdict;
  }

  function verdictOn({ port, method, disk, isWrite }: StoreStep): Verdict {
    if (isCut && disk === 'state') return 'full';
    const planned = isWrite ? (faults[disk].shift() ?? 'pass') : 'pass';
    if (planned !== 'failed' || !NEVER_UNHEARD.has(`${port}.${method}`)) return planned;
    if (!state.isShared) return 'full';
    answersToLose += 1;
    return 'pass';
  }

  const stateFaults: StateFaults = {
    refuseCut() {
      if (isCut) throw new BridgeError('overloaded', 'the state database is not reached');
    },
    losesAnswer() {
      if (answersToLose === 0) return false;
      answersToLose -= 1;
      return true;
    },
  };

  const delayMs = () => random.next(random.pick([1, 1, LONGEST_STORE_MS]));

  /** Returns the function that delays the calls of a process, which a local store begins in their order. */
  function createStoreQueue({ timers: { clock } }: Process) {
    let lastMs = 0;
    return (): Promise<void> => {
      const nowMs = clock.monotonicMs();
      lastMs = Math.max(state.isShared ? 0 : lastMs, nowMs + delayMs());
      return new Promise((resolve) => void clock.after(lastMs - nowMs, resolve));
    };
  }

  /** Returns the function that delays the answers to a process of a store behind a network. */
  function createAnswers({ timers: { clock } }: Process) {
    return async (): Promise<void> => {
      if (!state.isShared || random.next(4) > 0) return;
      const ms = random.next(random.pick([2, LONGEST_ANSWER_MS]));
      await new Promise<void>((resolve) => void clock.after(ms, resolve));
    };
  }

  function openApp(own: Process): Promise<App> {
    const onFailure = (thrown: unknown) => {
      const cause = causesOf(thrown).find((it) => it instanceof Error);
      if (cause && !(cause instanceof BridgeError)) deps.violate(`a defect: ${cause.stack}`);
    };
    const calling = {
      number: own.number,
      clock: own.timers.clock,
      isOver: () => own.isOver,
    };
    return createApp(
      { ...config, default_provider: 'first' as Config['default_provider'] },
      {
        clock: own.timers.clock,
        ids,
        metrics: silentMetrics,
        env: {},
        webhookKeys: [SECRET],
        tasks: [],
        tokens: {
          nameOf: (id) => id,
          accountOf: (id) => accounts.get(id),
          removed: () => removed,
          watchRemoval(id, notify) {
            if (removed.includes(id)) notify();
            else onRemoval.set(notify, id);
            return () => onRemoval.delete(notify);
          },
        },
        events: createEventRing({ clock: own.timers.clock }),
        log: { ...createTraceLog(() => {}), failure: onFailure },
        facts: {
          version: '0.0.0',
          listener: { scope: 'loopback', port: 0 },
          authenticationRequired: true,
          origins: [],
        },
        openProviders: () => ({
          providers: services.open(calling),
          close: async () => {},
        }),
        createEngine: () => engine,
        postWebhook: receivers.openPost(calling),
        async openStorage(settings, outside) {
          const opened = await state.open(settings as Config, outside, stateFaults);
          own.leave = opened.leave;
          const faulty = createFaultyStores(
            { ...opened.stores, secret: SECRET },
            {
              onStep,
              untilBegun: createStoreQueue(own),
              untilAnswered: createAnswers(own),
              die: () => kill(own),
              isDead: () => own.isOver,
            },
          );
          own.stores = faulty;
          return faulty.stores;
        },
      },
    );
  }

  async function begin(): Promise<void> {
    const stores = current?.stores;
    // An ended process has no pending writes: those that the store had begun are durable.
    if (stores) await turns.outside(stores.close);
    const own = newProcess();
    current = own;
    log(`process ${own.number} starts`);
    let isRefused = false;
    const app = await Promise.race([openApp(own), own.death]).catch((error: unknown) => {
      // A start that fails because of a disk is repeated by the supervisor of the process, after a pause.
      if (!(error instanceof BridgeError)) throw error;
      log(`process ${own.number} does not start: ${error.code}`);
      isRefused = true;
      return undefined;
    });
    if (!app || own.isOver) {
      kill(own);
      if (isRefused) await sleep(machine.openProcess().clock, RESTART_MS, NEVER_ABORTS);
      return;
    }
    log(`process ${own.number} serves`);
    const tasks = app.tasks.map(oneRunAtATime);
    const taskLoops = startTasks(tasks, own.timers.clock);
    own.running = { app, tasks, loop: startWorkerLoop(app.worker, WORKERS), taskLoops };
  }

  return {
    isServing: () => current?.running !== undefined && !current.isOver,
    kill: () => kill(),

    /** Starts a process unless one is running or starting. */
    start(): void {
      if (startingUp || (current && !current.isOver)) return;
      startingUp = begin()
        .catch((error: unknown) => deps.violate(`the start throws: ${textOf(error)}`))
        .finally(() => {
          startingUp = undefined;
        });
    },

    /** Ends the process as a signal does. The work that still runs after the grace period is ended. */
    async stop(graceMs: number): Promise<void> {
      const own = current;
      if (!own?.running || own.isOver) return;
      const { app, loop, taskLoops } = own.running;
      log(`process ${own.number} stops`);
      const grace = new AbortController();
      const reason = new BridgeError('cancelled', 'the bridge is stopping');
      own.timers.clock.after(graceMs, () => grace.abort(reason));
      const stopped = Promise.all([app.drain(grace.signal), loop.drain(grace.signal)])
        .then(taskLoops.stop)
        .then(app.close)
        .then(() => (isCut ? undefined : own.leave?.()));
      await Promise.race([stopped, own.death]);
      kill(own);
    },

    /** Removes a token for ever. Its work ends. */
    removeToken(name: string): void {
      callers.delete(`Bearer ${name}`);
      if (!removed.includes(name)) removed.push(name);
      // Each process reads the file of tokens by itself.
      for (const [notify, id] of [...onRemoval]) {
        if (id === name) current?.timers.clock.after(random.next(LONGEST_NOTIFICATION_MS), notify);
      }
    },

    /** Lets the next writes to a disk fail. */
    failNext(of: StoreStep['disk'], verdicts: readonly Verdict[]): void {
      faults[of].push(...verdicts);
    },

    /** Separates the bridge from its state, or connects it again. */
    setCut(isNowCut: boolean): void {
      isCut = isNowCut;
    },

    /** Ends all faults that were planned. */
    heal(): void {
      isCut = false;
      answersToLose = 0;
      faults.state.length = 0;
      faults.files.length = 0;
    },

    /** Sends a request. Resolves with undefined if no process serves, or if the process ends before its reply. */
    async call(handler: Handler, token: string, sent: Sent): Promise<Reply | undefined> {
      const own = current;
      if (!own?.running || own.isOver) return undefined;
      const { running, timers } = own;
      const settings = openHttpSettings({
        clock: timers.clock,
        ids,
        access: {
          authenticate: (authorization) => callers.get(authorization ?? ''),
          watch: () => () => {},
          isOurHost: () => true,
        },
      });
      // Requests and disconnects reach the process only while its machine runs.
      const client = new AbortController();
      const disconnect = () => void timers.clock.after(0, () => client.abort(sent.signal?.reason));
      if (sent.signal?.aborted) disconnect();
      else sent.signal?.addEventListener('abort', disconnect, { once: true });
      let onReplied = (_isComplete: boolean) => {};
      const reply = arrive(timers)
        .then(() =>
          handler(toCallEvent(token, sent), {
            services: running.app.services,
            settings,
            signal: () => client.signal,
            onReplied: (listener: (isComplete: boolean) => void) => {
              onReplied = listener;
            },
          }),
        )
        .then(readReply);
      const read = await Promise.race([reply, own.death]);
      if (!read || own.isOver) return undefined;
      onReplied(!client.signal.aborted);
      return read;
    },

    /** Runs a task of the process when its last run has ended. */
    async runTask(name: string): Promise<void> {
      const own = current;
      const task = own?.running?.tasks.find((it) => it.name === name);
      await Promise.race([task?.run(NEVER_ABORTS).catch(() => {}), own?.death]);
    },

    async close(): Promise<void> {
      kill();
      await current?.stores?.close();
    },
  };
}

const NEVER_ABORTS = new AbortController().signal;

/** Returns a task whose run begins when its last run has ended. In a process, only one loop runs a task. */
function oneRunAtATime(task: Task): Task {
  let last = Promise.resolve();
  return {
    ...task,
    run(signal, succeeded) {
      const run = last.then(() => task.run(signal, succeeded));
      last = run.catch(() => {});
      return run;
    },
  };
}

function arrive({ clock }: ProcessTimers): Promise<void> {
  return new Promise((resolve) => void clock.after(0, resolve));
}

function toCaller({ name, ...limits }: SimulatedToken): Caller {
  return { ...unnamedCaller(name), id: name, name, ...limits };
}

/** Creates ids that are the same in every run of a seed. */
function createSeededIds(seed: number, clock: Pick<Machine, 'nowMs'>): Ids {
  const random = createSeeded(seed ^ 0x5eed);
  const hex = (digits: number) =>
    Array.from({ length: digits }, () => random.next(16).toString(16)).join('');
  return {
    newUuid() {
      const time = clock.nowMs().toString(16).padStart(12, '0');
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
    },
    newOpaqueId: () => hex(32),
    newSpanId: () => hex(16),
    newFraction: () => random.next(1_000_000) / 1_000_000,
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
