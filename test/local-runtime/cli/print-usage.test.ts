import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { openStub } from './stub-service.ts';

let close = () => {};
afterEach(() => close());

const COUNTS = { images: 2, failed: 1, unknown: 0, lost: 0, unknown_images: 0 };
const priced = (amount: string) => ({ cost: { amount, currency: 'USD', basis: 'priced' } });
const FREE = { cost: { amount: '0', currency: 'USD', basis: 'free' } };
const PART = { cost: { known_amount: '0.5', currency: 'USD', basis: 'unknown' } };
const DAYS = [
  {
    ...{ day: '2026-01-02', ...COUNTS, ...PART, tokens: 12 },
    by_provider: { fal: { ...COUNTS, ...PART } },
    by_model: [
      { provider: 'fal', model: 'flux', ...COUNTS, ...priced('0.5') },
      { provider: 'fal', ...COUNTS, images: 1, cost: { basis: 'unknown' } },
      { others: 3, ...COUNTS, ...FREE },
    ],
  },
  {
    ...{ day: '2026-01-01', ...COUNTS, ...priced('0.25') },
    by_provider: { fal: { ...COUNTS, ...priced('0.25') } },
    by_model: [{ provider: 'fal', model: 'flux', ...COUNTS, ...priced('0.25') }],
  },
];

/** Runs a command against a service with this report. Returns the lines and the target of the request. */
async function run(argv: readonly string[], report: object) {
  let target: string | undefined;
  const stub = await openStub((request, response) => {
    target = request.url;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(report));
  });
  close = stub.close;
  const { stdout, exitCode } = await runCommand(argv, {
    cwd: tmpdir(),
    env: { IMAGE_BRIDGE_URL: stub.url },
  });
  return {
    exitCode,
    target,
    lines: stdout.split('\n').map((line) => line.replace(/ {2,}/g, ' | ')),
  };
}

describe('image-bridge usage', () => {
  it('prints the limits of the token, and its images and costs by day and by model', async () => {
    const budget = { currency: 'USD', per_day: '2', used_today: '0.5', used_this_month: '0.75' };
    const caller = { name: 'alice', permissions: ['read'], budget };

    const { target, lines } = await run(['usage', '--days', '2'], { caller, items: DAYS });

    expect(target).toBe('/v1/usage?days=2');
    expect(lines).toEqual([
      'token: alice',
      'budget today: 0.5 of 2 USD',
      'DAY | IMAGES | FAILED | TOKENS | COST | PROVIDERS',
      '2026-01-02 | 2 | 1 | 12 | 0.5 USD and unknown | fal 2',
      '2026-01-01 | 2 | 1 | 0.25 USD | fal 2',
      '',
      'MODEL | PROVIDER | IMAGES | COST',
      'flux | fal | 4 | 0.75 USD',
      'others | 2 | free',
      'not recorded | fal | 1 | unknown',
      '',
    ]);
  });

  it('lists the tokens with what is left of their limits for --all', async () => {
    const today = { ...COUNTS, ...FREE };
    const budget = { currency: 'USD', per_day: '2', used_today: '2.5', used_this_month: '9' };
    const allowance = { images_per_day: 10, used: 4, resets: 1 };
    const tokens = [
      { kind: 'named', name: 'bob', ...COUNTS, ...priced('3'), today, budget },
      { kind: 'named', name: 'alice', own: true, ...COUNTS, ...FREE, today, allowance },
      { kind: 'removed', name: 'old', ...COUNTS, ...FREE, today },
      { kind: 'unnamed', ...COUNTS, ...FREE, today },
      { kind: 'unlisted', ...COUNTS, ...FREE, today },
      { kind: 'others', ...COUNTS, ...FREE, today },
    ];

    const { target, lines } = await run(['usage', '--all'], {
      ...{ caller: { permissions: ['admin'] }, items: [], by_token: tokens },
    });

    expect(target).toBe('/v1/usage?tokens=all');
    expect(lines.slice(2)).toEqual([
      'TOKEN | IMAGES | COST | TODAY | LEFT TODAY',
      'bob | 2 | 3 USD | free | 0 USD',
      'alice (you) | 2 | free | free | 6 images',
      'old (removed) | 2 | free | free',
      'without a name | 2 | free | free',
      'no longer listed | 2 | free | free',
      'others | 2 | free | free',
      '',
    ]);
  });

  it('prints the reply itself for --json', async () => {
    const report = { caller: { permissions: [] }, items: DAYS };

    const { lines } = await run(['usage', '--json'], report);

    expect(JSON.parse(lines.join('\n').replaceAll(' | ', ' '))).toEqual(report);
  });
});
