import { describe, expect, it, test } from 'vitest';
import { BridgeError, toBridgeError } from '../../../lib/errors/bridge-error.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import {
  completeRun,
  createImageRuns,
  createRecentDurations,
} from '../../../lib/runs/image-run.ts';
import { newLedger } from '../../support/ledgers.ts';
import { requestContext } from '../../support/request-context.ts';
import { requestOf } from '../generation/requests.ts';
import { createScriptedGeneration, resultOf } from '../jobs/scripted-generation.ts';

const made = resultOf(['a'.repeat(32)]);
const cancelled = new BridgeError('cancelled', 'the client has disconnected');

/** Creates a run whose generation a test ends. Records what happens to its publications. */
function open(failure?: BridgeError) {
  const { generation, runs } = createScriptedGeneration();
  const lines: string[] = [];
  const discarded: unknown[] = [];
  const committed: unknown[] = [];
  const imageRuns = createImageRuns({
    generation,
    publisher: {
      async discard(publications) {
        discarded.push(...publications);
      },
    },
    log: createTraceLog((line) => lines.push(JSON.parse(line).event)),
    durations: createRecentDurations(),
  });
  const ledger = newLedger();
  const context = { ...requestContext(), ledger };
  const run = imageRuns.newRun(requestOf(), context, {
    async commit({ publications, response }) {
      if (failure) throw failure;
      committed.push(...publications);
      return response.provider;
    },
    toFailure: (thrown) => toBridgeError(thrown).with({ details: { seen: true } }),
  });
  const client = new AbortController();
  const completing = completeRun(run, run.start(client.signal).result, client.signal);
  completing.catch(() => {});
  return { runs, lines, discarded, committed, client, completing, ledger };
}

describe('completeRun', () => {
  it('commits the result, and logs the success after that', async () => {
    const { runs, lines, discarded, committed, completing } = open();

    runs[0]?.end(made);

    await expect(completing).resolves.toBe(made.response.provider);
    expect({ committed, discarded }).toEqual({ committed: made.publications, discarded: [] });
    expect(lines).toEqual(['image_operation_started', 'image_operation_succeeded']);
  });

  it('discards the result if the signal has aborted meanwhile', async () => {
    const { runs, lines, discarded, committed, client, completing } = open();

    runs[0]?.end(made);
    client.abort(cancelled);

    await expect(completing).rejects.toMatchObject({ code: 'cancelled', details: { seen: true } });
    expect({ committed, discarded }).toEqual({ committed: [], discarded: made.publications });
    expect(lines).toEqual(['image_operation_started', 'image_operation_failed']);
  });

  it('discards a result that cannot be committed', async () => {
    const refusal = new BridgeError('overloaded', 'not now');
    const { runs, lines, discarded, completing, ledger } = open(refusal);
    const call = ledger.beginCall('sandbox', [0]);
    call.replied(1, undefined);
    call.verified(0);
    ledger.delivered([0]);

    runs[0]?.end(made);

    await expect(completing).rejects.toMatchObject({
      code: 'overloaded',
      // The image was paid for, and a retry would make it again.
      retryable: false,
      details: { seen: true, succeeded_outputs: 1 },
    });
    expect(discarded).toEqual(made.publications);
    expect(ledger.rows()).toMatchObject([{ progress: 'lost', paid: 'yes' }]);
    expect(lines).toEqual(['image_operation_started', 'image_operation_failed']);
  });

  it('rejects with the failure of the generation, converted for its owner', async () => {
    const { runs, lines, completing } = open();

    runs[0]?.fail(new BridgeError('upstream', 'no'));

    await expect(completing).rejects.toMatchObject({ code: 'upstream', details: { seen: true } });
    expect(lines).toEqual(['image_operation_started', 'image_operation_failed']);
  });
});

describe('createRecentDurations', () => {
  test('returns ten seconds for a provider without a run', () => {
    expect(createRecentDurations().typicalMs('sandbox')).toBe(10_000);
  });

  test('returns the mean of each provider', () => {
    const durations = createRecentDurations();
    durations.note('sandbox', 100);
    durations.note('sandbox', 300);
    durations.note('comfy', 9000);

    expect([durations.typicalMs('sandbox'), durations.typicalMs('comfy')]).toEqual([200, 9000]);
  });

  test('forgets all but the latest runs', () => {
    const durations = createRecentDurations();
    durations.note('sandbox', 1_000_000);
    for (let nth = 0; nth < 16; nth += 1) durations.note('sandbox', 100);

    expect(durations.typicalMs('sandbox')).toBe(100);
  });
});
