import { createHash } from 'node:crypto';
import type { Amount } from '../../lib/contract/reply/cost.ts';
import type { CapabilityDocument } from '../../lib/contract/resources/provider.ts';
import { BridgeError, type BridgeErrorOptions } from '../../lib/errors/bridge-error.ts';
import type { ErrorCode } from '../../lib/errors/codes.ts';
import { isInterruption } from '../../lib/errors/interruption.ts';
import { type Clock, sleep } from '../../lib/platform/clock.ts';
import type {
  Provider,
  ProviderContext,
  ProviderOutput,
  ProviderRequest,
  ProviderResult,
} from '../../lib/providers/provider-port.ts';
import { anything } from '../lib/generation/capability-documents.ts';
import { createSeeded, type Seeded } from '../support/seeded.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The end of a call at a service. */
type CallEnd =
  | { readonly type: 'images'; readonly more: number; readonly bad: readonly number[] }
  | { readonly type: 'refused' | 'not_begun' | 'nothing_made' | 'transient' | 'made' }
  | { readonly type: 'unknown' | 'hang'; readonly sold: number };

interface CallPlan {
  readonly end: CallEnd;
  /** The time until the call is dispatched, until the task is accepted, and until the end. */
  readonly delaysMs: readonly [number, number, number];
}

/** A call as the service knows it. The service charges for its images whether or not the bridge learns of them. */
export interface Sale {
  readonly requestId: string;
  /** The prompt, which names the action of the schedule. */
  readonly action: string;
  readonly service: string;
  readonly indices: readonly number[];
  readonly attempt: number;
  readonly life: number;
  /** The price of one image. */
  readonly price: Amount;
  /** The begin of the call, in milliseconds of the monotonic clock. */
  readonly atMs: number;
  isDispatched: boolean;
  sold: number;
  /** True if the bridge has learned `sold`. */
  isKnown: boolean;
  /** True if the service has given a ticket to the bridge. */
  hasTicket: boolean;
  /** True if the bridge has answered that the ticket is stored. */
  isTicketStored: boolean;
  /** Indices whose image the bridge received and can use. */
  good: readonly number[];
}

/** A task of a service with tickets. Tasks do not end with the process that submitted them. */
interface Task {
  readonly sale: Sale;
  readonly end: CallEnd;
  readonly dueMs: number;
}

interface Deps {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly images: readonly Buffer[];
  readonly log: (event: string) => void;
}

interface ServiceSettings {
  readonly name: string;
  readonly maxParallelCalls: number;
  /** The number of images that one call makes. */
  readonly native: number;
  readonly hasTickets: boolean;
  /** The lowest price of one image, in US cents. */
  readonly cents: number;
}

export const SERVICES: readonly [ServiceSettings, ...ServiceSettings[]] = [
  { name: 'first', maxParallelCalls: 2, native: 1, hasTickets: false, cents: 2 },
  { name: 'second', maxParallelCalls: 1, native: 3, hasTickets: false, cents: 1 },
  { name: 'third', maxParallelCalls: 3, native: 2, hasTickets: true, cents: 4 },
];

/** One US cent. */
export const CENT: Amount = 100_000_000n;

/** The process that calls the services. */
export interface CallingProcess {
  readonly number: number;
  readonly clock: Clock;
  isOver(): boolean;
}

export type Services = ReturnType<typeof createServices>;

const CATALOGUE_MS = 3_600_000;
const NEVER = new Promise<never>(() => {});
const NO_IMAGE = Buffer.from('this is no image');

/** Creates the services behind the providers. They record all sales, and outlive the processes of the bridge. */
export function createServices({ seed, clock, images, log }: Deps) {
  const sales: Sale[] = [];
  const tasks = new Map<string, Task>();
  /** The number of running calls of each process. */
  const inFlight = new Map<number, number>();

  function count({ number }: CallingProcess, change: 1 | -1): void {
    const calls = inFlight.get(number) ?? 0;
    inFlight.set(number, Math.max(0, calls + change));
  }

  function newSale(
    settings: ServiceSettings,
    { prompt, indices }: ProviderRequest,
    { requestId, attempt }: ProviderContext,
    life: number,
  ): Sale {
    const sale: Sale = {
      ...{ requestId, action: prompt, service: settings.name, indices, attempt, life },
      price: priceOf(seed, settings, life),
      atMs: clock.monotonicMs(),
      ...{
        isDispatched: false,
        sold: 0,
        isKnown: true,
        hasTicket: false,
        isTicketStored: false,
        good: [],
      },
    };
    sales.push(sale);
    return sale;
  }

  /** Settles a call for a process that is still running. Throws the failure of the call. */
  function settle(sale: Sale, end: CallEnd): ProviderResult {
    const { indices } = sale;
    log(`${sale.service} ends ${sale.action} ${indices.join()} ${end.type}`);
    sale.isKnown = end.type !== 'unknown';
    switch (end.type) {
      case 'not_begun':
        throw failure('rate_limited', { effect: 'not_begun' });
      case 'nothing_made':
        throw failure('upstream', { effect: 'nothing_made' });
      case 'transient':
        throw failure('upstream', { effect: 'nothing_made', transient: true, retryable: true });
      case 'made':
        throw failure('protocol', { effect: 'made' });
      case 'unknown':
        throw failure('upstream', { effect: 'unknown', details: { outcome: 'unknown' } });
      case 'images': {
        sale.sold = Math.max(0, indices.length + end.more);
        if (end.more < 0) sale.isKnown = false;
        if (end.more === 0) sale.good = indices.filter((_, nth) => !end.bad.includes(nth));
        return {
          outputs: Array.from({ length: sale.sold }, (_, nth) => outputOf(sale, end, nth)),
          cost: { amount: sale.price * BigInt(sale.sold) },
        };
      }
      default:
        throw new Error('the call does not end by itself');
    }
  }

  function outputOf(
    { indices, action }: Sale,
    { bad }: Extract<CallEnd, { type: 'images' }>,
    nth: number,
  ): ProviderOutput {
    if (bad.includes(nth)) return { bytes: NO_IMAGE };
    const image = images[hashOf(action, indices[nth] ?? 0) % images.length];
    return { bytes: image ?? NO_IMAGE };
  }

  function openProvider(settings: ServiceSettings, caller: CallingProcess): Provider {
    const { name, maxParallelCalls } = settings;
    const model = modelOf(settings);

    /** Resolves after a delay. Rejects if the signal aborts first, and never settles if the process ends first. */
    async function wait(ms: number, { signal }: ProviderContext): Promise<void> {
      await sleep(caller.clock, ms, signal);
      if (caller.isOver()) await NEVER;
    }

    async function resume(ticket: string, context: ProviderContext): Promise<ProviderResult> {
      const task = tasks.get(ticket);
      if (!task) throw failure('upstream', { effect: 'unknown', details: { outcome: 'unknown' } });
      log(`${name} continues ${task.sale.action} ${task.sale.indices.join()}`);
      if (task.end.type === 'hang') await hang(context);
      await wait(Math.max(0, task.dueMs - clock.monotonicMs()), context);
      return settle(task.sale, task.end);
    }

    async function submit(request: ProviderRequest, context: ProviderContext) {
      const sale = newSale(settings, request, context, caller.number);
      const plan = planOf(seed, sale);
      const { end } = plan;
      const [beginMs, acceptMs, endMs] = plan.delaysMs;
      log(`${name} begins ${sale.action} ${sale.indices.join()} attempt ${sale.attempt}`);
      await wait(beginMs, context);
      if (end.type === 'refused') throw failure('overloaded', {});
      sale.isDispatched = true;
      sale.isKnown = false;
      // Surplus images are charged only if the bridge receives them.
      sale.sold = Math.min(soldBy(end, sale.indices.length), sale.indices.length);
      context.onEvent({ type: 'progress', stage: 'dispatched' });
      if (settings.hasTickets) {
        await wait(acceptMs, context);
        await accept(sale, end, endMs, context);
      }
      if (end.type === 'hang') await hang(context);
      await wait(endMs, context);
      return settle(sale, end);
    }

    async function accept(sale: Sale, end: CallEnd, endMs: number, context: ProviderContext) {
      const ticket = `ticket ${tasks.size}`;
      tasks.set(ticket, { sale, end, dueMs: clock.monotonicMs() + endMs });
      sale.hasTicket = true;
      sale.isTicketStored = await context.accepted(ticket);
      if (caller.isOver()) await NEVER;
    }

    return {
      name,
      sourceType: 'trainedAlgorithmicMedia',
      retry: { attempts: 2, backoffMs: 200 },
      maxParallelCalls,
      describe: () => ({
        ...{ displayName: name, version: '1.0.0', experimental: false },
        ...{ models: [model], defaultModel: model },
      }),
      capabilities: (asked) => (asked === model ? capabilitiesOf(settings) : undefined),
      async execute(request, context) {
        if (caller.isOver()) return NEVER;
        count(caller, 1);
        try {
          return await (request.ticket === undefined
            ? submit(request, context)
            : resume(request.ticket, context));
        } catch (error) {
          if (context.signal.aborted && !isInterruption(context.signal.reason)) {
            log(`${name} is cancelled: ${request.prompt}`);
          }
          throw error;
        } finally {
          count(caller, -1);
        }
      },
      catalogue: {
        refresh: { name: `${name}-catalogue`, everyMs: CATALOGUE_MS, run: async () => {} },
        firstAnswer: Promise.resolve(),
        ageSecs: () => 0,
        hasLeft: () => false,
        tariffs: () => [[{ per: 'image', amount: priceOf(seed, settings, caller.number) }]],
      },
      probe: async () => ({ ready: true }),
      close: async () => {},
    };
  }

  return {
    sales: sales as readonly Sale[],
    open: (caller: CallingProcess): readonly Provider[] =>
      SERVICES.map((settings) => openProvider(settings, caller)),
    /** Returns the number of running calls of all processes. */
    inFlight: () => [...inFlight.values()].reduce((sum, calls) => sum + calls, 0),
    /** Forgets the calls of a process that has ended. */
    forgetCalls: (number: number) => void inFlight.delete(number),
  };
}

/**
 * Returns the price of one image. Each process finds other prices, so that prices change while jobs wait. The price of a service
 * with tickets stays, because another process may learn the end of a call.
 */
function priceOf(seed: number, { name, cents, hasTickets }: ServiceSettings, life: number): Amount {
  const factor = hasTickets ? 1 : 1 + (hashOf(seed, name, 'price', life) % 8);
  return CENT * BigInt(cents * factor);
}

/** Returns the plan of one attempt of a call. The plan depends on nothing else in the schedule. */
function planOf(seed: number, { action, service, indices, attempt }: Sale): CallPlan {
  const random = createSeeded(hashOf(String(seed), action, service, indices.join(), attempt));
  // Most calls of some actions fail, so that their failures meet.
  const isHostile = hashOf(seed, action, 'hostile') % 3 === 0;
  const end = endOf(isHostile ? 40 + random.next(60) : random.next(100), random, indices.length);
  return { end, delaysMs: [delayOf(random), delayOf(random), delayOf(random)] };
}

/** Returns an end. `chance` is a number from 0 to 99. */
function endOf(chance: number, random: Seeded, asked: number): CallEnd {
  if (chance < 62) return { type: 'images', more: 0, bad: [] };
  if (chance < 68) return { type: 'images', more: 0, bad: [random.next(asked)] };
  if (chance < 72) return { type: 'images', more: random.pick([-1, 1]), bad: [] };
  if (chance < 76) return { type: 'refused' };
  if (chance < 80) return { type: 'not_begun' };
  if (chance < 85) return { type: 'transient' };
  if (chance < 89) return { type: 'nothing_made' };
  if (chance < 92) return { type: 'made' };
  const sold = random.next(asked + 1);
  return { type: chance < 97 ? 'unknown' : 'hang', sold };
}

function delayOf(random: Seeded): number {
  return random.next(random.pick([2, 50, 1000, 20_000]));
}

function soldBy(end: CallEnd, asked: number): number {
  if (end.type === 'made') return asked;
  if (end.type === 'images') return asked + end.more;
  return 'sold' in end ? end.sold : 0;
}

/** Returns a number that is the same for the same words in every run. */
export function hashOf(...words: readonly (string | number)[]): number {
  return createHash('sha256').update(JSON.stringify(words)).digest().readInt32BE() >>> 1;
}

export function modelOf({ name }: Pick<ServiceSettings, 'name'>): string {
  return `${name}-model`;
}

function capabilitiesOf({ native, maxParallelCalls, ...settings }: ServiceSettings) {
  return {
    ...anything,
    provider: settings.name,
    model: modelOf(settings),
    batching: {
      mode: native > 1 ? 'native' : 'fan_out',
      native_count: { min: 1, max: native },
      max_parallel_outputs: maxParallelCalls,
    },
  } satisfies CapabilityDocument;
}

function failure(code: ErrorCode, options: BridgeErrorOptions): BridgeError {
  return new BridgeError(code, 'as the plan says', options);
}

async function hang({ signal }: ProviderContext): Promise<never> {
  await rejectOnAbort(signal);
  return NEVER;
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
