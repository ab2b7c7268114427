import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import sharp from 'sharp';
import type { App } from '../../../lib/app.ts';
import { type Caller, unnamedCaller } from '../../../lib/contract/request/caller.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { DAY_MS, today } from '../../../lib/platform/days.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import type { Provider, ProviderContext } from '../../../lib/providers/provider-port.ts';
import { openStores, type Stores } from '../../../lib/storage/open-stores.ts';
import { startWorkerLoop } from '../../../local-runtime/server/worker-loop.ts';
import { openHttpSettings } from '../../support/invoke.ts';
import { openApp } from '../../support/open-app.ts';
import {
  createFaultyStores,
  type FaultyStores,
  type StoreStep,
  type Verdict,
} from '../../support/simulation/faulty-stores.ts';
import {
  type Handler,
  type Reply,
  readReply,
  type Sent,
  toCallEvent,
} from '../../support/simulation/handler-call.ts';
import { createSimulatedClock } from '../../support/simulation/simulated-clock.ts';
import type { CallPlan } from './money-case.ts';
import { createSeller, type Sale, sellerName } from './seller.ts';

type WorkerLoop = ReturnType<typeof startWorkerLoop>;

const ROUTES = [0, 1, 2];
const INDICES = [0, 1, 2, 3, 4, 5];
const WORKERS = 2;
const STARTS = 30;
const STUCK_TICKS = 5;
/** The deadline of every request. */
const DEADLINE_MS = 600_000;
const MIDNIGHT_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);

const SETTINGS = [
  'runtime.circuit_breaker.enabled=false',
  `runtime.default_timeout_ms=${DEADLINE_MS}`,
  'runtime.cancellation_grace_ms=5000',
  // Longer than the deadline, so that no decode times out because a simulation advances the time.
  'images.max_decode_ms=3600000',
  'server.jobs.max_retained=100000',
];

/** The decisions of a case while it runs. */
export interface Direction {
  onStep(step: StoreStep | string): Verdict;
  planOf(request: string, route: number, call: number, attempt: number): CallPlan;
  onSale(sale: Sale): void;
}

export type MoneyWorld = Awaited<ReturnType<typeof openMoneyWorld>>;

/**
 * Opens the whole application over real files. It can be killed, its disks can be full, and its providers record their sales.
 */
export async function openMoneyWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'money-'));
  const images = await drawImages();
  const clock = createSimulatedClock(START_MS);
  let direction: Direction | undefined;
  let life = 0;
  let open: Life | undefined;
  let disk: { readonly faulty: FaultyStores; readonly real: Stores } | undefined;
  let onDeath = () => {};
  let death: Promise<undefined> = Promise.resolve(undefined);
  let listed: Sqlite.Database | undefined;
  const underWay = new Set<ProviderContext>();
  const hanging = new Set<ProviderContext>();
  let stuckTicks = 0;

  /** Creates the providers of one life of the process. A call after its end gets no reply. */
  function openSellers(own: number): readonly Provider[] {
    return ROUTES.map((route) => {
      const seller = createSeller({
        route,
        planOf: (...call) => {
          if (!direction) throw new Error('no case is running');
          return direction.planOf(...call);
        },
        imageOf: (of, index) => images.get(`${of} ${index}`) ?? Buffer.alloc(0),
        onStep: (name) => void take(name),
        life: own,
        isOver: () => life !== own,
        onSale: (sale) => direction?.onSale(sale),
        onHang: (call) => {
          if (underWay.has(call)) hanging.add(call);
        },
      });
      return {
        ...seller,
        async execute(request, context) {
          const { signal } = context;
          const end = () => {
            underWay.delete(context);
            hanging.delete(context);
          };
          // After an abort the bridge waits only a moment for the call, even if the call takes longer.
          signal.addEventListener('abort', end, { once: true });
          if (life === own) underWay.add(context);
          return seller.execute(request, context).finally(end);
        },
      };
    });
  }

  function take(step: StoreStep | string): Verdict {
    return direction?.onStep(step) ?? 'pass';
  }

  function die(): void {
    life += 1;
    underWay.clear();
    hanging.clear();
    clock.forgetTimers();
    onDeath();
  }

  /** Resolves with undefined if the process is killed while it starts. */
  async function begin(): Promise<Life | undefined> {
    const own = life;
    death = new Promise((resolve) => {
      onDeath = () => resolve(undefined);
    });
    const opening = openApp({
      folder,
      providers: openSellers(own),
      defaultProvider: sellerName(0) as 'sandbox',
      set: SETTINGS,
      seams: {
        clock,
        async openStorage(settings, outside) {
          const real = await openStores(settings, { ...outside, thread: false });
          const faulty = createFaultyStores(real, {
            onStep: take,
            die,
            isDead: () => life !== own,
          });
          disk = { faulty, real };
          return faulty.stores;
        },
      },
    });
    const app = await Promise.race([opening, death]).catch((error: unknown) => {
      // A start that failed because of a full disk is retried.
      if (!(error instanceof BridgeError)) throw error;
      die();
      return undefined;
    });
    return app && { app, loop: startWorkerLoop(app.worker, WORKERS), own };
  }

  /** Closes the resources of the ended process, and starts another process over its files. */
  async function revive(): Promise<void> {
    for (let tries = 0; tries < STARTS; tries += 1) {
      await disk?.faulty.close();
      disk = undefined;
      const begun = await begin();
      if (!begun) continue;
      open = begun;
      return;
    }
    throw new Error('the process does not start');
  }

  await revive();

  function theLife(): Life {
    if (!open) throw new Error('no process was started');
    return open;
  }

  const settings = openHttpSettings({
    clock,
    ids: createIds(clock.nowMs),
    access: {
      authenticate: (authorization) => callers.get(authorization ?? ''),
      watch: () => () => {},
      isOurHost: () => true,
    },
  });
  const callers = new Map<string, Caller>();

  return {
    clock,
    deadlineMs: DEADLINE_MS,
    /**
     * Advances the time to a minute before midnight if a case needs that, otherwise to a time with room for all deadlines
     * before midnight.
     */
    startOfCase(hasMidnight: boolean): void {
      const timeOfDay = clock.nowMs() % DAY_MS;
      if (hasMidnight) clock.advance((2 * DAY_MS - MIDNIGHT_MS - timeOfDay) % DAY_MS);
      else if (timeOfDay > DAY_MS / 2) clock.advance(DAY_MS - timeOfDay);
    },
    dayOf: () => today(clock),
    direct(next: Direction | undefined): void {
      direction = next;
    },
    life: () => life,
    isAlive: () => open?.own === life,
    die,
    revive,

    /** Ends the process in the same way as a signal after the grace period. */
    async stop(): Promise<void> {
      const over = AbortSignal.abort(new BridgeError('cancelled', 'the bridge is stopping'));
      const { app, loop, own } = theLife();
      const stopped = Promise.all([app.drain(over), loop.drain(over)]).then(() => app.close());
      await Promise.race([stopped, death, expired('the process does not stop')]);
      if (own === life) die();
    },

    /**
     * Resolves after a moment that is long enough for the threads that decode and write. Calls that hang reach their deadline
     * if nothing else is under way for several moments.
     */
    async tick(): Promise<void> {
      // A millisecond of real time, because the threads run in real time and do not report that they are idle. Nothing depends on
      // its length: callers repeat `tick` until their condition is true.
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
      const isStuck = hanging.size > 0 && hanging.size === underWay.size;
      stuckTicks = isStuck ? stuckTicks + 1 : 0;
      if (stuckTicks < STUCK_TICKS) return;
      stuckTicks = 0;
      clock.advance(DEADLINE_MS);
    },

    addToken(name: string, imagesPerDay: number | undefined): Caller {
      const caller = {
        ...unnamedCaller(name),
        id: name,
        name,
        ...(imagesPerDay === undefined ? {} : { imagesPerDay }),
      };
      callers.set(`Bearer ${name}`, caller);
      return caller;
    },
    removeToken: (name: string) => callers.delete(`Bearer ${name}`),

    async call(handler: Handler, token: string, sent: Sent): Promise<Reply> {
      const { signal = new AbortController().signal } = sent;
      const context = {
        ...{ services: theLife().app.services, settings, signal: () => signal },
        onReplied: () => {},
      };
      return readReply(await handler(toCallEvent(token, sent), context));
    },

    /** Resolves with the used part of the allowance of a token on a day. */
    async charged(token: string, day: number): Promise<number> {
      return (await disk?.real.usage.charged({ token, day })) ?? 0;
    },

    /** Removes the remains of earlier failures, as the service does periodically. */
    async sweep(): Promise<void> {
      const task = theLife().app.tasks.find(({ name }) => name === 'artifact-retention');
      const run = task?.run(new AbortController().signal);
      await Promise.race([run, expired('what was left is not removed')]);
    },

    /** Resolves with the files below a folder of artifacts, and with the names in the database. */
    async files(directory: string) {
      const root = join(folder, 'artifacts');
      const found = await readdir(join(root, directory)).catch(() => []);
      listed ??= new Sqlite(join(folder, 'bridge.sqlite'), { readonly: true });
      const rows = listed
        .prepare('SELECT name, state FROM artifact WHERE name >= ? AND name < ?')
        .all(`${directory}/`, `${directory}0`) as {
        readonly name: string;
        readonly state: string;
      }[];
      return { files: found.map((name) => `${directory}/${name}`).sort(), rows };
    },

    async close(): Promise<void> {
      die();
      listed?.close();
      await disk?.faulty.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Life {
  readonly app: App;
  readonly loop: WorkerLoop;
  readonly own: number;
}

const LONGEST_STOP_MS = 10_000;

function expired(message: string): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(message)), LONGEST_STOP_MS).unref();
  });
}

/** Returns dimensions that identify the route and the index of an image. */
export function edgesOf(route: number, index: number) {
  return { width: 16 + index, height: 16 + route };
}

async function drawImages(): Promise<ReadonlyMap<string, Buffer>> {
  const drawn = new Map<string, Buffer>();
  for (const route of ROUTES) {
    for (const index of INDICES) {
      const create = { ...edgesOf(route, index), channels: 3, background: '#123456' } as const;
      drawn.set(`${route} ${index}`, await sharp({ create }).png().toBuffer());
    }
  }
  return drawn;
}
