import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PendingPublication } from '../../../../lib/artifacts/publisher.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { replyWith } from '../../../support/scripted-provider.ts';
import { anything } from '../capability-documents.ts';
import { type GenerationRig, openGenerationRig } from '../generation-rig.ts';
import { image } from '../images.ts';
import { requestOf } from '../requests.ts';

const ONE_EACH = {
  mode: 'fan_out',
  native_count: { min: 1, max: 1 },
  max_parallel_outputs: 255,
} as const;
const three = { parameters: { n: 3 }, output: { response_format: 'artifact' } };

let rig: GenerationRig;
let png: Buffer;

beforeEach(async () => {
  rig = await openGenerationRig({}, { ...anything, batching: ONE_EACH });
  png = await image();
});
afterEach(() => rig.close());

/** Starts the generation of a job. Returns its publications and a function that waits for a number of publications. */
function start(sent: {
  readonly parameters: { readonly n: number };
  readonly output?: object;
  readonly policies?: object;
}) {
  const published: PendingPublication[] = [];
  const calls = new AbortController();
  const waiting: { readonly count: number; readonly resume: () => void }[] = [];
  const context = {
    ...rig.newContext(sent.parameters.n),
    noMoreCalls: calls.signal,
    outputs: {
      job: 7,
      onPublished(publication: PendingPublication) {
        published.push(publication);
        for (const { count, resume } of waiting) if (published.length >= count) resume();
      },
    },
  };
  const untilPublished = (count: number) =>
    new Promise<void>((resume) => {
      if (published.length >= count) resume();
      else waiting.push({ count, resume });
    });
  const { result } = rig.generation.run(requestOf(sent), context, context.signal);
  result.catch(() => {});
  const { ledger, disconnect } = context;
  const stopCalls = () => calls.abort(new BridgeError('cancelled', 'the job was cancelled'));
  return { published, untilPublished, result, disconnect, ledger, stopCalls };
}

async function reply(nth: number): Promise<void> {
  replyWith(png)(await rig.provider.call(nth));
}

describe('createDelivery, of jobs', () => {
  it('publishes each image while other calls still run, and returns all images by index', async () => {
    const { published, untilPublished, result } = start(three);
    await reply(2);
    await untilPublished(1);
    await reply(0);
    await untilPublished(2);
    const early = [...published];
    const files = await rig.artifacts.names();
    await reply(1);

    const { response, publications } = await result;

    expect(files).toHaveLength(2);
    expect(response.data.map(({ index, type }) => [index, type])).toEqual([
      [0, 'artifact'],
      [1, 'artifact'],
      [2, 'artifact'],
    ]);
    expect(publications).toHaveLength(3);
    expect(publications).toEqual([early[1], published[2], early[0]]);
    expect(published).toEqual(expect.arrayContaining([...publications]));
  });

  it('writes the sidecar with the facts that are known when the image is finished', async () => {
    const output = { response_format: 'artifact', metadata: 'sidecar' };
    const { published, untilPublished, result } = start({ ...three, output });
    await reply(1);
    await untilPublished(1);
    const [name = ''] = published.map(({ record }) => record.sidecar?.name);

    const record = JSON.parse(await readFile(join(rig.artifacts.root, name), 'utf8'));
    await reply(0);
    await reply(2);
    await result;

    expect(record).toMatchObject({
      version: '1',
      request_id: 'request-1',
      image: { index: 1, bytes: png.length },
    });
  });

  it('leaves the published images to the job when the operation fails', async () => {
    const { published, untilPublished, result } = start(three);
    await reply(0);
    await untilPublished(1);

    (await rig.provider.call(1)).fail(new BridgeError('upstream', 'no'));

    await expect(result).rejects.toMatchObject({ code: 'upstream' });
    expect(published).toHaveLength(1);
    expect(await rig.artifacts.names()).toHaveLength(1);
  });

  it('publishes a verified image although the operation is stopped meanwhile', async () => {
    const { published, result, disconnect } = start(three);
    await reply(0);

    disconnect(new BridgeError('cancelled', 'the bridge is stopping'));

    await expect(result).rejects.toMatchObject({ code: 'cancelled' });
    expect(await rig.artifacts.names()).toHaveLength(published.length);
  });

  it('publishes the image of a single call too', async () => {
    const { published, untilPublished, result } = start({ ...three, parameters: { n: 1 } });
    await reply(0);
    await untilPublished(1);

    const { publications } = await result;

    expect(publications).toEqual(published);
  });

  it('lets the image of a call in flight wait for the state store, although no further call may be sent', async () => {
    const { published, result, stopCalls } = start({ ...three, parameters: { n: 1 } });
    const outage = new BridgeError('overloaded', 'the state database is unavailable', {
      details: { reason: 'state_store_failing' },
    });
    vi.spyOn(rig.artifacts.store, 'claim').mockRejectedValueOnce(outage);
    await rig.provider.call(0);
    stopCalls();
    await reply(0);

    expect((await result).publications).toEqual(published);
    expect(published).toHaveLength(1);
  });

  it('fails only the image that cannot be published, under best_effort', async () => {
    rig.artifacts.refuseStaged([2]);
    const parameters = { n: 2, failure_policy: 'best_effort' };
    const { result, ledger } = start({ ...three, parameters });
    await reply(0);
    await reply(1);

    const { response, publications } = await result;

    expect(publications).toHaveLength(1);
    expect(response.failures).toMatchObject([
      { error: { code: 'artifact', retryable: false, details: { succeeded_outputs: 1 } } },
    ]);
    expect(response.warnings).toContain('partial_output_failure');
    expect(
      ledger
        .rows()
        .map(({ progress }) => progress)
        .sort(),
    ).toEqual(['lost', 'published']);
  });

  it('stops further calls when an image cannot be published, under fail_fast', async () => {
    rig.artifacts.refuseStaged([2]);
    const policies = { batch_execution: 'sequential' };
    const { published, result, ledger } = start({ ...three, parameters: { n: 4 }, policies });
    await reply(0);
    await reply(1);

    await expect(result).rejects.toMatchObject({
      code: 'artifact',
      retryable: false,
      details: { succeeded_outputs: 2 },
    });
    expect(rig.provider.calls).toHaveLength(2);
    expect(published).toHaveLength(1);
    expect(ledger.settlement().counts).toMatchObject([{ images: 2, lost: 1, failed: 2 }]);
  });
});
