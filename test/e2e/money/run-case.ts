import { handler as createImage } from '../../../handlers/images/create-image.ts';
import { handler as cancelJob } from '../../../handlers/jobs/cancel-job.ts';
import { handler as createJob } from '../../../handlers/jobs/create-job.ts';
import { handler as getJob } from '../../../handlers/jobs/get-job.ts';
import { handler as listJobs } from '../../../handlers/jobs/list-jobs.ts';
import { handler as getUsage } from '../../../handlers/usage/get-usage.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { DAY_MS, dateOf } from '../../../lib/platform/days.ts';
import type { StoreStep, Verdict } from '../../support/simulation/faulty-stores.ts';
import type { Reply } from '../../support/simulation/handler-call.ts';
import type { Fault, MoneyCase, RequestPlan } from './money-case.ts';
import type { MoneyWorld } from './money-world.ts';
import { type Sale, sellerModel, sellerName } from './seller.ts';

/** The observations of one request from outside, and its actual sales. */
export interface Observed {
  readonly name: string;
  readonly plan: RequestPlan;
  readonly sales: Sale[];
  /** Day on which the request was accepted. Undefined if the day is not certain. */
  day: number | undefined;
  /** Reply to a synchronous request, or reply that accepted or rejected a job. */
  reply: Reply | undefined;
  /** Job after its end. */
  job: Reply['json'];
  /** Used part of the allowance before the request was sent. */
  usedBefore: number;
}

export interface Run {
  readonly token: string;
  readonly plan: MoneyCase;
  readonly observed: readonly Observed[];
  /** Types of the faults that happened. */
  readonly faults: Set<Fault['type']>;
  readonly trace: string[];
}

interface DayUsage {
  readonly images: number;
  readonly failed: number;
  readonly unknown: number;
  readonly lost: number;
}

export interface UsageItem extends DayUsage {
  readonly day: string;
  readonly by_provider: Readonly<Record<string, DayUsage>>;
}

const LONGEST_MS = 20_000;

/** A run of a case that has not begun. */
export function newRun(token: string, plan: MoneyCase): Run {
  const observed = plan.requests.map((request, nth): Observed => {
    const seen = { day: undefined, reply: undefined, job: undefined, usedBefore: 0 };
    return { name: `${token}-${nth}`, plan: request, sales: [], ...seen };
  });
  return { token, plan, observed, faults: new Set(), trace: [] };
}

/** Runs the requests of a case one after the other under a token of its own, with the faults of the case. */
export async function runCase(world: MoneyWorld, run: Run): Promise<void> {
  const { token, plan, observed, faults, trace } = run;
  world.addToken(token, plan.allowance ?? undefined);
  world.startOfCase(plan.faults.some(({ type }) => type === 'midnight'));
  const full = { state_full: 0, files_full: 0, files_failed: 0 };
  let steps = 0;
  let isArmed = false;
  let cut = () => {};
  let isStopping = false;

  function strike({ type, writes }: Fault): Verdict | undefined {
    faults.add(type);
    trace.push(`  FAULT ${type}`);
    switch (type) {
      case 'lost':
      case 'unheard':
        return type;
      case 'state_full':
      case 'files_full':
      case 'files_failed':
        full[type] = writes;
        return undefined;
      case 'cut':
        cut();
        return undefined;
      case 'deadline':
        world.clock.advance(world.deadlineMs);
        return undefined;
      case 'midnight':
        world.clock.advance((world.dayOf() + 1) * DAY_MS - world.clock.nowMs() + 1);
        return undefined;
      case 'stop':
        isStopping = true;
        return undefined;
    }
  }

  function onStep(step: StoreStep | string): Verdict {
    if (!isArmed) return 'pass';
    steps += 1;
    const isCall = typeof step === 'string';
    trace.push(`${steps} ${isCall ? step : `${step.port}.${step.method}`}`);
    let verdict: Verdict = 'pass';
    for (const fault of plan.faults) {
      if (fault.at === steps) verdict = strike(fault) ?? verdict;
    }
    if (verdict !== 'pass') {
      if (isCall) world.die();
      return verdict;
    }
    if (isCall || !step.isWrite) return 'pass';
    const kinds =
      step.disk === 'state' ? (['state_full'] as const) : (['files_full', 'files_failed'] as const);
    for (const kind of kinds) {
      if (full[kind] === 0) continue;
      full[kind] -= 1;
      trace.push(`  ${kind}`);
      return kind === 'files_failed' ? 'failed' : 'full';
    }
    return 'pass';
  }

  /** Resolves with the result of the work, or with undefined if the process ends first. */
  async function whileAlive<T>(begin: () => Promise<T>): Promise<T | undefined> {
    if (!world.isAlive()) await world.revive();
    const own = world.life();
    const work = begin();
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    const settled = ended.then(
      () => {},
      () => {},
    );
    const endsMs = performance.now() + LONGEST_MS;
    while (!isOver && world.life() === own) {
      await Promise.race([settled, world.tick()]);
      if (isStopping) {
        isStopping = false;
        cut();
        await world.stop();
      }
      if (performance.now() > endsMs) throw new Error('the request does not end');
    }
    if (world.life() === own) return ended;
    await world.revive();
    return undefined;
  }

  async function runSynchronous(one: Observed): Promise<void> {
    const client = new AbortController();
    cut = () => client.abort(new BridgeError('cancelled', 'the client has disconnected'));
    const headers = one.plan.isKeyed ? { 'idempotency-key': one.name } : {};
    const body = bodyOf(one);
    one.reply = await whileAlive(() =>
      world.call(createImage, token, { method: 'POST', headers, body, signal: client.signal }),
    );
  }

  async function runJob(one: Observed): Promise<void> {
    cut = () => {};
    const body = bodyOf(one);
    one.reply = await whileAlive(() => world.call(createJob, token, { method: 'POST', body }));
    const id = one.reply ? one.reply.json.id : await findJob(one.name);
    if (id === undefined) return;
    cut = () =>
      void world.call(cancelJob, token, { method: 'DELETE', path: { id } }).catch(() => {});
    for (;;) {
      const reply = await whileAlive(() =>
        world.call(getJob, token, { path: { id }, query: 'wait_ms=30000' }),
      );
      if (reply && reply.status !== 200) throw new Error(`GET of a job: ${reply.status}`);
      if (reply?.json.completed !== undefined) {
        one.job = reply.json;
        return;
      }
    }
  }

  /** Finds a job whose acceptance was not received. */
  async function findJob(prompt: string): Promise<string | undefined> {
    for (;;) {
      const reply = await whileAlive(() => world.call(listJobs, token, { query: 'limit=100' }));
      if (!reply) continue;
      return reply.json.items.find((item: { prompt: string }) => item.prompt === prompt)?.id;
    }
  }

  world.direct({
    onStep,
    planOf(request, route, call, attempt) {
      const calls = observed.find(({ name }) => name === request)?.plan.routes[route]?.calls ?? [];
      const tries = calls[call % calls.length] ?? [];
      const chosen = tries[Math.min(attempt, tries.length) - 1];
      if (!chosen) throw new Error('a call that no plan has');
      return chosen;
    },
    onSale(sale) {
      observed.find(({ name }) => name === sale.request)?.sales.push(sale);
    },
  });
  try {
    for (const one of observed) {
      one.usedBefore = await settledCharge(world, token);
      const day = world.dayOf();
      isArmed = true;
      trace.push(`${one.name}: ${one.plan.kind}`);
      if (one.plan.kind === 'job') await runJob(one);
      else await runSynchronous(one);
      isArmed = false;
      if (!world.isAlive()) await world.revive();
      one.day = world.dayOf() === day ? day : undefined;
    }
  } finally {
    isArmed = false;
    world.direct(undefined);
  }
}

/** Resolves with the charge of this day after all reservations have ended. */
async function settledCharge(world: MoneyWorld, token: string): Promise<number> {
  const endsMs = performance.now() + LONGEST_MS;
  for (;;) {
    const charged = await world.charged(token, world.dayOf());
    const today = (await usageOf(world, token)).find(({ day }) => day === dateOf(world.dayOf()));
    if (charged === (today?.images ?? 0) + (today?.unknown ?? charged - (today?.images ?? 0)))
      return charged;
    if (performance.now() > endsMs) throw new Error(`a reservation is not given back: ${charged}`);
    await world.tick();
  }
}

export async function usageOf(world: MoneyWorld, token: string): Promise<readonly UsageItem[]> {
  const { status, json } = await world.call(getUsage, token, { query: 'days=9' });
  if (status !== 200) throw new Error(`GET /v1/usage: ${status}`);
  return json.items;
}

export function directoryOf(one: Observed): string {
  return one.name;
}

function bodyOf({ name, plan }: Observed): object {
  const { n, isFailFast, isSequential, fallbackPolicy, routes, kind } = plan;
  const form = kind === 'job' ? 'artifact' : plan.form;
  const isStored = form === 'artifact' || form === 'url';
  const [first, ...fallbacks] = routes.map((route, nth) => ({
    provider: sellerName(nth),
    model: sellerModel(route),
  }));
  return {
    prompt: name,
    parameters: { n, failure_policy: isFailFast ? 'fail_fast' : 'best_effort' },
    output: { response_format: form, ...(isStored ? { directory: name } : {}) },
    routing: { ...first, fallbacks, fallback_policy: fallbackPolicy },
    policies: { batch_execution: isSequential ? 'sequential' : 'auto' },
  };
}
