import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { ERRORS, type ErrorCode } from '../../../../lib/errors/codes.ts';
import { fallsBack, runRoutes } from '../../../../lib/generation/call/run-routes.ts';
import type { Candidate } from '../../../../lib/generation/plan/routing.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { createScriptedProvider } from '../../../support/scripted-provider.ts';
import { anything } from '../capability-documents.ts';

const failed = (code: ErrorCode, details = {}) => new BridgeError(code, 'failed', { details });

/** Creates routes to providers of these names. The test sets the outcome of each route by name. */
function rig(names: readonly string[]) {
  const clock = createManualClock();
  const candidates = names.map((name): Candidate => {
    const provider = createScriptedProvider({ name, capabilities: anything });
    return { provider, model: 'm', modelField: 'routing.model' };
  });
  const log: string[] = [];
  return {
    log,
    try(
      outcomes: Readonly<
        Record<string, { readonly plan?: BridgeError; readonly run?: BridgeError }>
      >,
      changes: {
        policy?: 'on_unavailable' | 'on_error';
        prepare?: BridgeError;
        signal?: AbortSignal;
      } = {},
    ) {
      return runRoutes(candidates, {
        clock,
        fallsBack: async (error) => fallsBack(error, changes.policy ?? 'on_unavailable'),
        signal: changes.signal ?? new AbortController().signal,
        plan({ provider: { name } }) {
          log.push(`plan ${name}`);
          if (outcomes[name]?.plan) throw outcomes[name].plan;
          return name;
        },
        async prepare() {
          log.push('prepare');
          if (changes.prepare) throw changes.prepare;
        },
        async attempt(name) {
          log.push(`run ${name}`);
          await clock.advance(10);
          if (outcomes[name]?.run) throw outcomes[name].run;
          return `image of ${name}`;
        },
      });
    },
  };
}

describe('runRoutes', () => {
  it('stays on the first route that succeeds', async () => {
    const routes = rig(['a', 'b']);

    const { result, attempts } = await routes.try({});

    expect(result).toBe('image of a');
    expect(attempts).toEqual([
      { provider: 'a', model: 'm', outcome: 'succeeded', duration_ms: 10 },
    ]);
    expect(routes.log).toEqual(['plan a', 'prepare', 'run a']);
  });

  it('plans anew for each route and prepares once', async () => {
    const routes = rig(['a', 'b', 'c']);

    const { result, attempts } = await routes.try({
      a: { plan: failed('unsupported_capability') },
      b: { run: failed('overloaded') },
    });

    expect(result).toBe('image of c');
    expect(routes.log).toEqual(['plan a', 'plan b', 'prepare', 'run b', 'plan c', 'run c']);
    expect(
      attempts.map(({ provider, outcome, error_code }) => [provider, outcome, error_code]),
    ).toEqual([
      ['a', 'failed', 'unsupported_capability'],
      ['b', 'failed', 'overloaded'],
      ['c', 'succeeded', undefined],
    ]);
  });

  it('rejects with the last failure and the list of all routes', async () => {
    const running = rig(['a', 'b']).try(
      { a: { run: failed('upstream') }, b: { run: failed('safety_rejected') } },
      { policy: 'on_error' },
    );

    await expect(running).rejects.toMatchObject({
      code: 'safety_rejected',
      details: {
        attempts: [
          { provider: 'a', outcome: 'failed', error_code: 'upstream' },
          { provider: 'b', outcome: 'failed', error_code: 'safety_rejected' },
        ],
      },
    });
  });

  it.each([
    ['a refusal', failed('safety_rejected')],
    ['an unknown outcome', failed('upstream', { outcome: 'unknown' })],
    ['a failure that the policy does not name', failed('upstream')],
  ])('does not fall back after %s', async (_name, run) => {
    const routes = rig(['a', 'b']);

    await expect(routes.try({ a: { run } })).rejects.toMatchObject({
      code: run.code,
      details: { attempts: [{ provider: 'a' }] },
    });
    expect(routes.log).not.toContain('plan b');
  });

  it('does not fall back once the operation is over', async () => {
    const routes = rig(['a', 'b']);

    const running = routes.try(
      { a: { run: failed('overloaded') } },
      { signal: AbortSignal.abort() },
    );

    await expect(running).rejects.toMatchObject({ code: 'overloaded' });
    expect(routes.log).not.toContain('plan b');
  });

  it('does not fall back after a failure to prepare, whatever its code', async () => {
    const routes = rig(['a', 'b']);

    const running = routes.try({}, { prepare: failed('overloaded') });

    await expect(running).rejects.toMatchObject({ code: 'overloaded', details: {} });
    expect(routes.log).toEqual(['plan a', 'prepare']);
  });

  it('lists no attempts of a request without fallbacks', async () => {
    const running = rig(['a']).try({ a: { run: failed('upstream') } }, { policy: 'on_error' });

    const error = await running.catch((thrown) => thrown);

    expect(error.details).toEqual({});
  });
});

const CODES = Object.keys(ERRORS) as ErrorCode[];
const UNAVAILABLE = [
  'configuration',
  'provider_authentication',
  'unsupported_capability',
  'rate_limited',
  'overloaded',
];
const FAILED = ['upstream', 'protocol', 'internal', 'refused_by_provider'];

describe('fallsBack', () => {
  it.each(CODES)('decides about %s as the contract says', (code) => {
    const error = new BridgeError(code, 'failed');

    expect(fallsBack(error, 'on_unavailable')).toBe(UNAVAILABLE.includes(code));
    expect(fallsBack(error, 'on_error')).toBe([...UNAVAILABLE, ...FAILED].includes(code));
  });

  it.each(CODES)('never falls back after %s when its outcome is unknown', (code) => {
    const error = new BridgeError(code, 'failed', { details: { outcome: 'unknown' } });

    expect(fallsBack(error, 'on_unavailable')).toBe(false);
    expect(fallsBack(error, 'on_error')).toBe(false);
  });

  it.each(CODES)('never falls back after %s when outputs had succeeded', (code) => {
    const error = new BridgeError(code, 'failed', { details: { succeeded_outputs: 1 } });

    expect(fallsBack(error, 'on_unavailable')).toBe(false);
    expect(fallsBack(error, 'on_error')).toBe(false);
  });
});
