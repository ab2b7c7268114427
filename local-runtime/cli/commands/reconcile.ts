import { resolve } from 'node:path';
import { type Amount, amountText, parseAmount } from '../../../lib/contract/reply/cost.ts';
import {
  DEFAULT_BILLED_DAYS,
  type Reconciliation,
} from '../../../lib/contract/resources/reconciliation.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { dateOf, today } from '../../../lib/platform/days.ts';
import type { Service } from '../../client/service.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import type { JsonOption, ServiceOption } from '../command-table/options.ts';
import { readWholeFile } from '../files.ts';
import { printJson, printTable } from '../print.ts';
import { withService } from '../with-service.ts';

interface Options extends ServiceOption, JsonOption {
  readonly days: number | undefined;
  readonly dryRun: boolean | undefined;
  readonly csv: string | undefined;
}

type Day = Reconciliation['days'][number] & { readonly billed?: string };

interface Report extends Omit<Reconciliation, 'days' | 'next_cursor'> {
  readonly days: readonly Day[];
}

const MAX_CSV_BYTES = 1_048_576;
const LINE = /^(\d{4}-\d\d-\d\d)\s*,\s*"?([\d.]+)"?\s*$/;

/**
 * Compares the costs that the service has recorded for a provider with its charges, and prints the days. Resolves with the exit code:
 * 1 if costs are unknown, or differ from the file of the operator.
 */
export async function runReconcile({
  args,
  options,
  io,
}: Call<{ readonly provider: string }, Options>): Promise<number> {
  const billed = options.csv === undefined ? undefined : await readInvoice(options.csv, io);
  if (typeof billed === 'string') {
    io.stderr(`image-bridge: --csv: ${billed}\n`);
    return 2;
  }
  return withService({ options, io }, async (service) => {
    const { next_cursor: _, ...report } = await reconcile(service, args.provider, options);
    const days = billed ? withBilled(report.days, billed, options) : report.days;
    if (options.json) printJson({ ...report, days }, io);
    else printReport({ ...report, days }, options, io);
    return days.every(isSettled) ? 0 : 1;
  });
}

/** Sends requests until all calls are compared. Resolves with the sums of the replies, and with the days of the last reply. */
async function reconcile(
  service: Service,
  provider: string,
  { days = DEFAULT_BILLED_DAYS, dryRun }: Options,
): Promise<Reconciliation> {
  const path = `/v1/providers/${encodeURIComponent(provider)}/reconciliation`;
  const send = (cursor?: string) =>
    service.json<Reconciliation>(path, {
      method: 'POST',
      body: { days, ...(dryRun ? { dry_run: true } : {}), cursor },
    });
  let sum = await send();
  while (sum.next_cursor !== undefined) sum = added(sum, await send(sum.next_cursor));
  return sum;
}

function added(sum: Reconciliation, next: Reconciliation): Reconciliation {
  return {
    ...next,
    equal: sum.equal + next.equal,
    settled: sum.settled + next.settled,
    pending: sum.pending + next.pending,
    correction: amountText(signed(sum.correction) + signed(next.correction)),
  };
}

function signed(text: string): Amount {
  const amount = parseAmount(text.replace(/^-/, '')) ?? 0n;
  return text.startsWith('-') ? -amount : amount;
}

/**
 * Reads lines such as `2026-11-22,1.25`, after an optional line of headings. Resolves with the amounts by day, or with the reason why
 * the file cannot be used. Lines of the same day add up.
 */
async function readInvoice(
  file: string,
  { cwd }: CommandIo,
): Promise<ReadonlyMap<string, Amount> | string> {
  const bytes = await readWholeFile(resolve(cwd, file), MAX_CSV_BYTES);
  if (typeof bytes === 'string') return `the file ${bytes}`;
  const billed = new Map<string, Amount>();
  for (const [index, line] of bytes.toString('utf8').split(/\r?\n/).entries()) {
    const [, day, text = ''] = LINE.exec(line) ?? [];
    const amount = parseAmount(text);
    if (day !== undefined && amount !== undefined) {
      billed.set(day, (billed.get(day) ?? 0n) + amount);
    } else if (line.trim() !== '' && index > 0) {
      return `line ${index + 1} must be a day and an amount, such as 2026-11-22,1.25`;
    }
  }
  return billed;
}

/** Adds the amounts of the invoice to the days that were compared. */
function withBilled(
  days: readonly Day[],
  billed: ReadonlyMap<string, Amount>,
  { days: count = DEFAULT_BILLED_DAYS }: Options,
): readonly Day[] {
  const first = dateOf(today(systemClock) - count + 1);
  const recorded = new Map(days.map((day) => [day.day, day]));
  const named = [...recorded.keys(), ...billed.keys()].filter((day) => day >= first);
  const all = [...new Set(named)].toSorted();
  return all.map((day) => ({
    day,
    cost: { amount: '0', currency: 'USD', basis: 'free' },
    unknown_images: 0,
    ...recorded.get(day),
    billed: amountText(billed.get(day) ?? 0n),
  }));
}

function isSettled({ cost, unknown_images, billed }: Day): boolean {
  const isEqual = billed === undefined || recordedText(cost) === billed;
  return unknown_images === 0 && isEqual;
}

function recordedText({ amount, known_amount: known = '0' }: Day['cost']): string {
  return amount ?? known;
}

function printReport(
  { reports_charges, equal, settled, pending, correction, days }: Report,
  { dryRun, csv }: Options,
  io: CommandIo,
): void {
  const headings = ['DAY', 'RECORDED', 'UNKNOWN IMAGES', ...(csv === undefined ? [] : ['BILLED'])];
  const rows = days.map(({ day, cost, unknown_images, billed }: Day) => [
    day,
    recordedText(cost),
    String(unknown_images),
    ...(billed === undefined ? [] : [billed]),
  ]);
  printTable(headings, rows, io);
  if (reports_charges) {
    const changed = dryRun ? 'would be corrected' : 'corrected';
    io.stdout(
      `${equal} calls equal, ${settled} ${changed} (${correction} USD), ${pending} not billed yet\n`,
    );
  } else if (csv === undefined) {
    io.stderr(
      'The service does not report its charges: compare the cost of each day with its invoice (--csv).\n',
    );
  }
}
