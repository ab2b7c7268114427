import { describe, expect, it } from 'vitest';
import { createIds } from '../../../lib/platform/ids.ts';

const MANY = 2000;

describe('createIds', () => {
  it('creates UUIDs of version 7 that contain their time in milliseconds', () => {
    const nowMs = Date.UTC(2025, 5, 1);

    const uuid = createIds(() => nowMs).newUuid();

    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)).toBe(nowMs);
  });

  it('creates UUIDs that sort by creation time', () => {
    let nowMs = Date.UTC(2025, 5, 1);
    const ids = createIds(() => nowMs++);

    const uuids = Array.from({ length: MANY }, () => ids.newUuid());

    expect([...uuids].sort()).toEqual(uuids);
  });

  it.each([
    ['newUuid', /^[0-9a-f-]{36}$/],
    ['newOpaqueId', /^[0-9a-f]{32}$/],
    ['newSpanId', /^[0-9a-f]{16}$/],
  ] as const)('never gives the same %s twice', (make, form) => {
    const ids = createIds(() => 0);

    const made = Array.from({ length: MANY }, () => ids[make]());

    expect(new Set(made).size).toBe(MANY);
    expect(made.every((id) => form.test(id))).toBe(true);
  });

  it('creates fractions from 0 (inclusive) to 1 (exclusive)', () => {
    const ids = createIds(() => 0);

    const fractions = Array.from({ length: MANY }, () => ids.newFraction());

    expect(fractions.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
    expect(new Set(fractions).size).toBeGreaterThan(MANY * 0.99);
  });
});
