import type { Clients } from './clients.ts';
import type { StateReader, StoredJob } from './invariants.ts';
import type { Deliveries, Receivers } from './receivers.ts';
import type { SimulatedToken } from './schedule.ts';
import type { Sale, Services } from './services.ts';

interface Payers {
  readonly tokens: readonly SimulatedToken[];
  readonly tokenOf: (action: string) => string;
}

type Say = (violation: string) => void;

/** The number of attempts after which a webhook has failed. */
const MAX_ATTEMPTS = 8;

/** Checks that no call was sent again after it had sold something, or perhaps had. */
export function checkCalls({ sales }: Pick<Services, 'sales'>, say: Say): void {
  for (const [requestId, own] of Map.groupBy(sales, (sale) => sale.requestId)) {
    own.forEach((sale, at) => {
      for (const later of own.slice(at + 1)) {
        const isSame = later.indices.some((index) => sale.indices.includes(index));
        if (!isSame) continue;
        const wasPerhapsSold = sale.isDispatched && (sale.sold > 0 || !sale.isKnown);
        if (later.service === sale.service && wasPerhapsSold) {
          say(`${requestId} of ${sale.action} called ${sale.service} again for a sold output`);
        }
        const isFallback = later.service !== sale.service;
        if (isFallback && ((sale.isDispatched && !sale.isKnown) || sale.good.length > 0)) {
          say(`${requestId} of ${sale.action} fell back after ${sale.service} had perhaps sold`);
        }
      }
    });
    const lives = new Set(own.map(({ life }) => life));
    if (lives.size > 1 && !own.some(({ hasTicket }) => hasTicket)) {
      say(`${requestId} ran in ${lives.size} processes`);
    }
  }
}

interface KeyRules {
  isKeyed(action: string): boolean;
  /** True if keys are remembered when a process ends. */
  readonly areKept: boolean;
  /** Returns true if the key of a sale may have been forgotten when a later call began. */
  mayBeForgotten(sale: Sale, later: Sale): boolean;
}

/** Checks that the requests under one key sold something only once while the key was remembered. */
export function checkKeys(
  { sales }: Pick<Services, 'sales'>,
  { isKeyed, areKept, mayBeForgotten }: KeyRules,
  say: Say,
): void {
  const sold = sales.filter(
    (sale) => isKeyed(sale.action) && sale.isDispatched && (sale.sold > 0 || !sale.isKnown),
  );
  const nameOf = ({ action, life }: Sale) => (areKept ? action : `${action} in process ${life}`);
  for (const [name, own] of Map.groupBy(sold, nameOf)) {
    const again = own.find((later, at) =>
      own
        .slice(0, at)
        .some((sale) => sale.requestId !== later.requestId && !mayBeForgotten(sale, later)),
    );
    if (!again) continue;
    const requests = new Set(own.map(({ requestId }) => requestId));
    say(`${name} was made for ${[...requests].join()} under one key`);
  }
}

/** Checks the counts of each token against the sales, after everything has ended. */
export function checkCounts(
  reader: StateReader,
  { sales }: Pick<Services, 'sales'>,
  tokenOf: (action: string) => string,
  say: Say,
): void {
  const usage = reader.usage();
  for (const [name, own] of Map.groupBy(sales, (it) => `${tokenOf(it.action)} ${it.service}`)) {
    const counted = usage.find(({ token, provider }) => `${token} ${provider}` === name);
    const { images, unknown } = counted ?? { images: 0, unknown: 0 };
    const sold = sum(own.map((sale) => sale.sold));
    // A process that is killed loses its knowledge of surplus images.
    const atLeast = sum(own.map((sale) => Math.min(sale.sold, sale.indices.length)));
    if (images > sold) say(`${name}: ${images} counted as made, ${sold} sold`);
    if (atLeast > images + unknown) {
      say(`${name}: ${atLeast} sold, ${images} counted as made and ${unknown} as unknown`);
    }
  }
}

/**
 * Checks that no token has spent more than its budget on any day. A service may exceed a budget only by the price of images that
 * were not requested.
 */
export function checkBudgets(
  reader: Pick<StateReader, 'spending'>,
  { sales }: Pick<Services, 'sales'>,
  { tokens, tokenOf }: Payers,
  say: Say,
): void {
  const spending = reader.spending();
  for (const { name, budgetPerDay } of tokens) {
    if (budgetPerDay === undefined) continue;
    const own = sales.filter(({ action }) => tokenOf(action) === name);
    const surplus = costOf(own, ({ sold, indices }) => Math.max(0, sold - indices.length));
    for (const { period, amount } of spending.filter(({ token }) => token === name)) {
      if (BigInt(amount) > budgetPerDay + surplus) {
        say(`${name} has spent ${amount} on ${period}, and its budget is ${budgetPerDay}`);
      }
    }
  }
}

/** Checks that the budget of each token is charged at least the price of everything that was sold, after everything has ended. */
export function checkSpending(
  reader: Pick<StateReader, 'spending'>,
  { sales }: Pick<Services, 'sales'>,
  { tokens, tokenOf }: Payers,
  say: Say,
): void {
  const spending = reader.spending();
  for (const { name, budgetPerDay } of tokens) {
    if (budgetPerDay === undefined) continue;
    const own = sales.filter(({ action }) => tokenOf(action) === name);
    // A process that is killed loses its knowledge of surplus images.
    const sold = costOf(own, (sale) => Math.min(sale.sold, sale.indices.length));
    const spent = sum(spending.filter(({ token }) => token === name).map(({ amount }) => amount));
    if (sold > BigInt(spent)) say(`${name}: sold for ${sold}, and ${spent} is charged`);
  }
}

function costOf(sales: readonly Sale[], imagesOf: (sale: Sale) => number): bigint {
  return sales.reduce((all, sale) => all + sale.price * BigInt(imagesOf(sale)), 0n);
}

/** Checks the ends of jobs: no job is lost, no end is hidden from its webhook, and nothing sold is called retryable. */
export function checkJobs(
  reader: StateReader,
  { clients, receivers, services }: { clients: Clients; receivers: Receivers; services: Services },
  mayBeRemoved: (atMs: number) => boolean,
  say: Say,
): void {
  const stored = new Map(reader.jobs().map((job) => [job.id, job]));
  for (const { id, action, atMs, token } of clients.jobs.values()) {
    const job = stored.get(id);
    if (job && job.token !== token) say(`the job of ${action} belongs to ${job.token}`);
    if (!job && !mayBeRemoved(atMs)) say(`the acknowledged job of ${action} is lost`);
  }
  for (const job of stored.values()) {
    const own = services.sales.filter(({ requestId }) => requestId === job.request_id);
    checkError(job, own, say);
    checkTickets(job, own, say);
    checkWebhook(job, receivers.of(job.id), say);
  }
}

/** Checks that a job continues after the end of its process if all its calls have tickets. */
function checkTickets({ id, status, request }: StoredJob, sales: readonly Sale[], say: Say): void {
  const { failure_policy: policy } = JSON.parse(request).parameters;
  // Under `fail_fast`, an output that is unknown for another reason interrupts the job too.
  if (status !== 'interrupted' || policy === 'fail_fast' || sales.length === 0) return;
  // A call that has certainly failed is repeated or replaced, and its ticket is deleted.
  const isOpen = ({ isKnown, good, indices }: Sale) => !isKnown || good.length === indices.length;
  if (sales.every((sale) => sale.isTicketStored && isOpen(sale))) {
    say(`job ${id} was interrupted although all its calls have tickets`);
  }
}

function checkError({ id, error }: StoredJob, sales: readonly Sale[], say: Say): void {
  if (error === null) return;
  const wasPerhapsSold = sales.some(
    ({ isDispatched, sold, isKnown }) => isDispatched && (sold > 0 || !isKnown),
  );
  if (wasPerhapsSold && JSON.parse(error).retryable) {
    say(`the error of job ${id} is retryable although something was perhaps sold`);
  }
}

function checkWebhook(
  { id, status, webhook_state: state, attempts }: StoredJob,
  seen: Deliveries | undefined,
  say: Say,
): void {
  const accepted = seen?.accepted ?? [];
  if (accepted.some((sent) => sent !== status)) say(`the webhook of job ${id} has another status`);
  if (state === 'delivered' && accepted.length === 0) say(`the webhook of job ${id} never arrived`);
  if (state === 'failed' && !seen?.isGone && (attempts ?? 0) < MAX_ATTEMPTS - 1) {
    say(`the webhook of job ${id} was given up after ${attempts} attempts`);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}
