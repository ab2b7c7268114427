import { dateOf } from '../../../lib/platform/days.ts';
import type { MoneyWorld } from './money-world.ts';
import { edgesOf } from './money-world.ts';
import { directoryOf, type Observed, type Run, type UsageItem, usageOf } from './run-case.ts';
import type { Sale } from './seller.ts';

/** An image of a reply, a result or a partial result. */
interface Image {
  readonly index: number;
  readonly width: number;
  readonly height: number;
  readonly name?: string;
}

interface Failure {
  readonly retryable: boolean;
  readonly details: {
    readonly outcome?: string;
    readonly succeeded_outputs?: number;
    readonly reason?: string;
    readonly remaining?: number;
  };
}

interface Outcome {
  /** The images that the owner received or can fetch. */
  readonly images: readonly Image[];
  readonly failures: readonly { readonly index: number; readonly error: Failure }[];
  readonly error: Failure | undefined;
  /** The request ended well, completely or in part. */
  readonly isSuccess: boolean;
}

type Say = (disagreement: string) => void;

/**
 * Compares a run with the sales of the providers. This is a separate model that does not know how the bridge counts. Returns the
 * disagreements.
 */
export async function disagreements(world: MoneyWorld, run: Run): Promise<string[]> {
  const found: string[] = [];
  for (const one of run.observed) {
    const say: Say = (text) => found.push(`${one.name}: ${text}`);
    checkCalls(one, say);
    checkOutcome(run, one, say);
    checkAllowance(run, one, say);
    await checkFiles(world, one, say);
  }
  const say: Say = (text) => found.push(text);
  const items = await usageOf(world, run.token);
  checkUsage(run, items, say);
  await checkCharges(world, run, items, say);
  return found;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);
const soldOf = (sales: readonly Sale[]) => sum(sales.map(({ sold }) => sold));

/** Returns true if the process was killed or stopped, so that its knowledge may be lost. */
function isInterrupted({ faults }: Run): boolean {
  return faults.has('lost') || faults.has('unheard') || faults.has('stop');
}

/** Returns true if the bridge cannot know the outcome of the call. */
function isUncertain({ isDispatched, isKnown, isOverdue }: Sale): boolean {
  return isOverdue || (isDispatched && !isKnown);
}

/** Returns the number of images that the bridge may report as unknown. */
function uncertainOf(sales: readonly Sale[]): number {
  const open = sales.filter(isUncertain);
  return sum(open.map(({ indices, sold }) => Math.max(indices.length, sold)));
}

/** Returns true if any call sold, or perhaps sold, the image of an index. */
function isPerhapsSold(sales: readonly Sale[], index: number): boolean {
  return sales.some(
    ({ indices, isDispatched, isKnown, sold }) =>
      indices.includes(index) && isDispatched && (sold > 0 || !isKnown),
  );
}

/** Checks that no call follows a call that sold something, or perhaps did, if it would sell the same again. */
function checkCalls({ sales, plan }: Observed, say: Say): void {
  for (const [at, sale] of sales.entries()) {
    for (const later of sales.slice(at + 1)) {
      const isSame = later.indices.some((index) => sale.indices.includes(index));
      if (later.route === sale.route) {
        if (!isSame) continue;
        if (sale.sold > 0 || (sale.isDispatched && !sale.isKnown)) {
          say(`a call of route ${sale.route} was repeated after it had perhaps sold something`);
        }
      } else if (sale.isDispatched && !sale.isKnown) {
        say(`route ${later.route} was called after an unknown outcome of route ${sale.route}`);
      } else if (sale.good.length > 0) {
        say(`route ${later.route} was called after images of route ${sale.route}`);
      }
    }
    if (sale.life !== sales[0]?.life) say('a call was sent again by a later process');
    if (sale.indices.some((index) => index >= plan.n)) say('an output that was not requested');
  }
}

function outcomeOf({ plan, reply, job }: Observed): Outcome | undefined {
  if (plan.kind === 'job') {
    if (!job) return undefined;
    return {
      images: job.result?.data ?? job.partial_result?.data ?? [],
      failures: job.result?.failures ?? [],
      error: job.error,
      isSuccess: job.status === 'succeeded',
    };
  }
  if (!reply) return undefined;
  const isSuccess = reply.status === 200;
  return {
    images: isSuccess ? reply.json.data : [],
    failures: (isSuccess && reply.json.failures) || [],
    error: isSuccess ? undefined : reply.json.error.bridge_ext,
    isSuccess,
  };
}

function checkOutcome(run: Run, one: Observed, say: Say): void {
  const { plan, sales, reply } = one;
  checkShouldRetry(one, say);
  const outcome = outcomeOf(one);
  if (!outcome) {
    if (plan.kind === 'job' && reply?.status === 202) say('an accepted job has no end');
    return;
  }
  const { images, failures, error, isSuccess } = outcome;
  checkImages(one, images, say);
  if (plan.kind === 'job' && !isSuccess && run.faults.size === 0) checkPartial(one, images, say);
  for (const { index, error: failure } of failures) {
    if (failure.retryable && isPerhapsSold(sales, index)) {
      say(`the failure of output ${index} is retryable, and it was perhaps sold`);
    }
  }
  // The client has disconnected and does not receive the error.
  if (reply?.status === 499) return;
  if (isSuccess) {
    const indices = [...images, ...failures].map(({ index }) => index).sort();
    const all = Array.from({ length: plan.n }, (_, index) => index);
    if (indices.join() !== all.join()) say(`the outputs of the reply are ${indices.join()}`);
    if (plan.isFailFast && failures.length > 0) say('a failure under fail_fast');
    return;
  }
  if (!error) {
    say('it ended without an error');
    return;
  }
  const { outcome: reported, succeeded_outputs: succeeded = 0 } = error.details;
  const isPerhapsPaid = sales.some((sale) => sale.sold > 0 || (sale.isDispatched && !sale.isKnown));
  if (error.retryable && isPerhapsPaid) {
    say('the error is retryable, and something was sold, or perhaps sold');
  }
  if (sales.some(({ isReportedUnknown }) => isReportedUnknown) && reported !== 'unknown') {
    say('an unknown outcome is not reported');
  }
  const isOver = isInterrupted(run);
  if (reported === 'unknown' && uncertainOf(sales) === 0 && !isOver) {
    say('the outcome is called unknown, and everything is known');
  }
  if (succeeded > soldOf(sales)) say(`succeeded_outputs is ${succeeded}, sold ${soldOf(sales)}`);
  const isCut = isOver || sales.some(({ isAborted }) => isAborted);
  const good = sum(sales.map((sale) => sale.good.length));
  // The first failure under fail_fast, and a deadline, end the verification of other images, which might have been usable.
  const isVerificationCut = plan.isFailFast || run.faults.has('midnight');
  const most = isVerificationCut ? good + sum(sales.map((sale) => sale.bad.length)) : good;
  if (!isCut && (succeeded < good || succeeded > most)) {
    say(`succeeded_outputs is ${succeeded}, good ${good}`);
  }
}

function checkShouldRetry({ reply }: Observed, say: Say): void {
  if (!reply || reply.status < 400) return;
  const header = reply.headers['x-should-retry'];
  if (header !== String(reply.json.error.bridge_ext.retryable)) say(`x-should-retry is ${header}`);
}

/** Checks that each image was received by the bridge for its index, from the route that served the request. */
function checkImages({ sales }: Observed, images: readonly Image[], say: Say): void {
  const seen = new Set<number>();
  for (const { index, width, height } of images) {
    if (seen.has(index)) say(`two images of output ${index}`);
    seen.add(index);
    const isSold = sales.some(({ route, good }) => {
      const edges = edgesOf(route, index);
      return good.includes(index) && edges.width === width && edges.height === height;
    });
    if (!isSold) say(`the image of output ${index} is none that was sold for it`);
  }
}

/**
 * Checks that a failed job keeps the images that earlier calls finished. These images are certain only if the calls are
 * sequential, because a failure ends the verification of images that were generated at the same time.
 */
function checkPartial({ plan, sales }: Observed, images: readonly Image[], say: Say): void {
  if (!plan.isSequential) return;
  const finished = sales.filter(({ bad }) => bad.length === 0).flatMap(({ good }) => good);
  const missing = finished.filter((index) => !images.some((image) => image.index === index));
  if (missing.length > 0) say(`the partial result lacks ${missing.join()}`);
}

/** Checks that the allowance rejects exactly the requests that exceed it. */
function checkAllowance(run: Run, { plan, reply, usedBefore, sales }: Observed, say: Say): void {
  const { allowance } = run.plan;
  if (allowance === null || !reply || run.faults.has('midnight')) return;
  const isRefused = reply.json.error?.bridge_ext?.details?.reason === 'allowance';
  const fits = usedBefore + plan.n <= allowance;
  if (isRefused && fits) say(`refused by the allowance: ${usedBefore} of ${allowance} were used`);
  if (!fits && sales.length > 0) say(`called beyond the allowance: ${usedBefore} of ${allowance}`);
}

/** Checks that the files on the disk are those with rows, and that a failed synchronous request left no file. */
async function checkFiles(world: MoneyWorld, one: Observed, say: Say): Promise<void> {
  const { files, rows } = await world.files(directoryOf(one));
  const names = rows.map(({ name }) => name).sort();
  if (files.join() !== names.join()) say(`files [${files.join()}], rows [${names.join()}]`);
  if (rows.some(({ state }) => state !== 'published')) say('a publication is left pending');
  const outcome = outcomeOf(one);
  if (!outcome) return;
  const { form, kind } = one.plan;
  const isStored = kind === 'job' || form === 'artifact' || form === 'url';
  // A request with a key continues without its client, which does not receive the images.
  if (one.plan.isKeyed && !outcome.isSuccess) return;
  const expected = isStored ? outcome.images.length : 0;
  if (files.length !== expected) say(`${files.length} files of ${expected} images`);
}

const dayOf = (items: readonly UsageItem[], day: string) => items.find((item) => item.day === day);

function checkUsage(run: Run, items: readonly UsageItem[], say: Say): void {
  const total = (field: 'images' | 'failed' | 'unknown' | 'lost') =>
    sum(items.map((item) => item[field]));
  const sales = run.observed.flatMap((one) => one.sales);
  const images = total('images');
  const unknown = total('unknown');
  checkBounds('all days', { images, unknown }, sales, say);
  const allowed = isInterrupted(run) ? sum(sales.map(mostOf)) + mostOpen(run) : uncertainOf(sales);
  if (unknown > allowed) say(`unknown ${unknown}, and at most ${allowed} may be`);
  for (const one of run.observed) {
    if (one.day === undefined || run.observed.some(({ day }) => day === undefined)) continue;
    const date = dateOf(one.day);
    const item = dayOf(items, date);
    const ofDay = run.observed.filter(({ day }) => day === one.day).flatMap((it) => it.sales);
    const counts = { images: item?.images ?? 0, unknown: item?.unknown ?? 0 };
    checkBounds(date, counts, ofDay, say);
  }
  for (const [route, name] of ['first', 'second', 'third'].entries()) {
    const rows = items.flatMap((item) => item.by_provider[name] ?? []);
    const counts = {
      images: sum(rows.map((row) => row.images)),
      unknown: sum(rows.map((row) => row.unknown)),
    };
    const ofRoute = sales.filter((sale) => sale.route === route);
    checkBounds(name, counts, ofRoute, say);
  }
  checkDelivered(run, { kept: images - total('lost'), unknown }, say);
  if (!isInterrupted(run)) checkFailed(run, total('failed'), say);
}

const mostOf = ({ indices, sold }: Sale) => Math.max(indices.length, sold);
/** Checks the calls counted as sent. A call may be counted as sent although its process ended before it was sent. */
const mostOpen = ({ observed }: Run) => sum(observed.map(({ plan }) => plan.n));

function checkBounds(
  what: string,
  { images, unknown }: Pick<UsageItem, 'images' | 'unknown'>,
  sales: readonly Sale[],
  say: Say,
): void {
  const sold = soldOf(sales);
  // A process that is killed may lose its knowledge of surplus images.
  const atLeast = sum(sales.map((sale) => Math.min(sale.sold, sale.indices.length)));
  if (images > sold) say(`${what}: counted as made ${images} > sold ${sold}`);
  const expected = images + unknown;
  if ((unknown === 0 ? sold : atLeast) > expected) {
    say(`${what}: sold ${sold} > made ${images} + unknown ${unknown}`);
  }
}

/** Checks that every generated image that is not lost has an owner. */
function checkDelivered(
  run: Run,
  { kept, unknown }: { readonly kept: number; readonly unknown: number },
  say: Say,
): void {
  const delivered = sum(run.observed.map((one) => outcomeOf(one)?.images.length ?? 0));
  // It is unknown if a client received the reply of a process that was killed.
  const unheard = run.observed.filter(
    ({ plan, reply }) =>
      plan.kind === 'synchronous' && (!reply || (plan.isKeyed && reply.status !== 200)),
  );
  const room = soldOf(unheard.flatMap(({ sales }) => sales));
  // A process that is killed after a reply may not have recorded the end of the request.
  const open = isInterrupted(run) ? unknown : 0;
  if (kept + open < delivered || kept > delivered + room) {
    say(`made and not lost ${kept}, delivered ${delivered} (and perhaps ${room})`);
  }
}

/** Returns the number of outputs that certainly have no image in the end. */
function checkFailed({ observed }: Run, failed: number, say: Say): void {
  const called = observed.filter(({ sales }) => sales.length > 0);
  const outputs = called.flatMap(({ plan, sales }) => {
    return Array.from({ length: plan.n }, (_, index) => {
      const last = sales.findLast(({ indices }) => indices.includes(index));
      if (!last) return 'failed';
      if (isUncertain(last)) return 'uncertain';
      if (last.sold === 0) return 'failed';
      // A further route may have failed before it was called for this output.
      return last.route < plan.routes.length - 1 ? 'uncertain' : 'made';
    });
  });
  const count = (what: (typeof outputs)[number]) => outputs.filter((it) => it === what).length;
  const certain = count('failed');
  // Without a call, the result depends on the step that rejected the request.
  const others = observed.filter(({ sales }) => sales.length === 0);
  const most = certain + count('uncertain') + sum(others.map(({ plan }) => plan.n));
  if (failed < certain || failed > most) say(`failed ${failed}, expected ${certain} to ${most}`);
}

/** Checks that the charge of each day is the number of images that were generated and of those that perhaps were. */
async function checkCharges(
  world: MoneyWorld,
  run: Run,
  items: readonly UsageItem[],
  say: Say,
): Promise<void> {
  const days = Array.from({ length: 9 }, (_, back) => world.dayOf() - back);
  for (const day of days) {
    const charged = await world.charged(run.token, day);
    const item = dayOf(items, dateOf(day));
    const counted = (item?.images ?? 0) + (item?.unknown ?? 0);
    if (charged !== counted) say(`${dateOf(day)}: charged ${charged}, made and unknown ${counted}`);
  }
}
