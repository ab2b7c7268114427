import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Reconciliation } from '../../../../lib/contract/resources/reconciliation.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { dateOf, today } from '../../../../lib/platform/days.ts';
import { runCommand } from '../../../support/run-command.ts';
import { openStub } from '../stub-service.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-bridge-reconcile-command-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const TODAY = dateOf(today(systemClock));

function report(changes: Partial<Reconciliation> = {}): Reconciliation {
  const cost = { amount: '1.25', currency: 'USD', basis: 'reported' } as const;
  return {
    provider: 'fal',
    reports_charges: true,
    ...{ equal: 3, settled: 2, pending: 0 },
    correction: '0.5',
    days: [{ day: TODAY, cost, unknown_images: 0 }],
    ...changes,
  };
}

/** Runs the command against a service that sends these replies. Returns the result and the bodies of the requests. */
async function run(replies: readonly Reconciliation[], ...argv: string[]) {
  const sent: unknown[] = [];
  const waiting = [...replies];
  const listener: RequestListener = async (incoming, response) => {
    const body = await text(incoming);
    if (incoming.url?.startsWith('/v1/providers/fal/reconciliation')) sent.push(JSON.parse(body));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(waiting.shift() ?? {}));
  };
  const stub = await openStub(listener);
  onTestFinished(stub.close);
  const words = ['reconcile', 'fal', '--url', stub.url, ...argv];
  return { ...(await runCommand(words, { cwd: folder })), sent };
}

describe('reconcile', () => {
  it('sends requests until all calls are compared, and adds up the replies', async () => {
    const first = report({ next_cursor: 'more' });

    const result = await run([first, report({ correction: '-0.75' })], '--days', '30');

    expect(result.sent).toEqual([{ days: 30 }, { days: 30, cursor: 'more' }]);
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout.split('\n')).toEqual([
      expect.stringMatching(/^DAY +RECORDED +UNKNOWN IMAGES$/),
      expect.stringMatching(new RegExp(`^${TODAY} +1\\.25 +0$`)),
      '6 calls equal, 4 corrected (-0.25 USD), 0 not billed yet',
      '',
    ]);
  });

  it('changes nothing with --dry-run, and exits 1 if costs are unknown', async () => {
    const days = [{ day: TODAY, cost: { basis: 'unknown' as const }, unknown_images: 1 }];

    const result = await run([report({ days })], '--dry-run', '--json');

    expect(result.sent).toEqual([{ days: 7, dry_run: true }]);
    expect(JSON.parse(result.stdout)).toEqual(report({ days }));
    expect(result.exitCode).toBe(1);
  });

  it('compares the cost of each day with an invoice', async () => {
    await writeFile(join(folder, 'equal.csv'), `day,amount\r\n${TODAY},1\r\n${TODAY},"0.25"\r\n`);
    await writeFile(join(folder, 'other.csv'), `${TODAY},1.26\n2020-01-01,99\n`);
    const unasked = report({ reports_charges: false });

    const equal = await run([unasked], '--csv', 'equal.csv');
    const different = await run([unasked], '--csv', 'other.csv');

    expect(equal).toMatchObject({ exitCode: 0, stderr: '' });
    expect(equal.stdout).toMatch(new RegExp(`BILLED\n${TODAY} +1\\.25 +0 +1\\.25\n$`));
    expect(different.exitCode).toBe(1);
    expect(different.stdout).not.toContain('2020-01-01');
  });

  it('says that an invoice is needed for a provider that reports no charges', async () => {
    const { stderr } = await run([report({ reports_charges: false })]);

    expect(stderr).toMatch(/^The service does not report its charges/);
  });

  it.each([
    [`x\n${TODAY};1.5\n`, /--csv: line 2 must be a day and an amount/],
    [`${TODAY},1e3\n${TODAY},-1`, /--csv: line 2 must be a day and an amount/],
  ])('rejects the invoice %j', async (csv, message) => {
    await writeFile(join(folder, 'wrong.csv'), csv);

    const { exitCode, stderr, sent } = await run([], '--csv', 'wrong.csv');

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(sent).toEqual([]);
  });

  it('rejects an invoice that does not exist', async () => {
    expect((await run([], '--csv', 'none.csv')).stderr).toMatch(/--csv: the file /);
  });
});
