import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBodyBudget } from '../../../../lib/http/body/body-budget.ts';

const MIB = 1024 * 1024;

describe('createBodyBudget', () => {
  it('counts a body once for each copy in memory', () => {
    const budget = createBodyBudget(100 * MIB);

    budget.open('a', 3).take(10 * MIB);
    budget.open('b', 1).take(10 * MIB);

    expect(budget.heldBytes()).toBe(40 * MIB);
  });

  it('rejects a body above the limit, with the limit and the time to wait', () => {
    const budget = createBodyBudget(100 * MIB);
    budget.open('a', 3).take(30 * MIB);

    expect(() => budget.open('b', 3).take(10 * MIB)).toThrow(
      expect.objectContaining({
        code: 'overloaded',
        details: { reason: 'body_memory', max_buffered_bytes: 100 * MIB, retry_after_ms: 1000 },
      }),
    );
    expect(budget.heldBytes()).toBe(90 * MIB);
  });

  it('admits one body of any length', () => {
    const budget = createBodyBudget(100 * MIB);
    const only = budget.open('a', 3);

    only.take(80 * MIB);

    expect(budget.heldBytes()).toBe(240 * MIB);
    expect(() => budget.open('b', 1).take(MIB)).toThrow('memory limit for request bodies reached');
    only.end();
    expect(() => budget.open('b', 1).take(MIB)).not.toThrow();
  });

  it('neither counts nor rejects bodies up to 64 KiB', () => {
    const budget = createBodyBudget(100 * MIB);
    budget.open('a', 1).take(100 * MIB);

    for (let count = 0; count < 1000; count++) budget.open('b', 3).take(65_536);

    expect(budget.heldBytes()).toBe(100 * MIB);
    expect(() => budget.open('b', 3).take(65_537)).toThrow(
      'memory limit for request bodies reached',
    );
  });

  it('reserves a quarter of the budget for scopes without a body in memory', () => {
    const budget = createBodyBudget(100 * MIB);
    budget.open('a', 1).take(40 * MIB);
    budget.open('a', 1).take(35 * MIB);

    expect(() => budget.open('a', 1).take(MIB)).toThrow('memory limit for request bodies reached');
    expect(() => budget.open('b', 1).take(25 * MIB)).not.toThrow();
  });

  it('frees the bytes of a lease once, when the lease ends', () => {
    const budget = createBodyBudget(100 * MIB);
    const other = budget.open('a', 1);
    other.take(20 * MIB);
    const lease = budget.open('a', 1);
    lease.take(30 * MIB);

    lease.end();
    lease.end();
    lease.take(50 * MIB);

    expect(budget.heldBytes()).toBe(20 * MIB);
  });

  it('counts a body that is already in memory without rejecting it', () => {
    const budget = createBodyBudget(100 * MIB);
    budget.open('a', 1).take(100 * MIB);

    budget.open('a', 3).count(10 * MIB);

    expect(budget.heldBytes()).toBe(130 * MIB);
  });

  it('never exceeds its limit, except for a single body', () => {
    const step = fc.record({
      lease: fc.nat(9),
      bytes: fc.integer({ min: 0, max: 120 * MIB }),
      ends: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = createBodyBudget(100 * MIB);
        const leases = Array.from({ length: 10 }, (_, at) => budget.open(`scope ${at % 3}`, 1));
        const held = leases.map(() => 0);
        const hasEnded = leases.map(() => false);
        for (const { lease: at, bytes, ends } of steps) {
          if (ends) {
            leases[at]?.end();
            held[at] = 0;
            hasEnded[at] = true;
          } else if (tries(() => leases[at]?.take(bytes)) && !hasEnded[at]) {
            held[at] = bytes > 65_536 ? bytes : 0;
          }
          const total = held.reduce((sum, one) => sum + one, 0);
          expect(budget.heldBytes()).toBe(total);
          const holders = held.filter((one) => one > 0).length;
          if (holders > 1) expect(total).toBeLessThanOrEqual(Math.max(100 * MIB, ...held));
        }
        for (const lease of leases) lease.end();
        expect(budget.heldBytes()).toBe(0);
      }),
    );
  });
});

function tries(run: () => void): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}
