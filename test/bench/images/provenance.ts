import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import { inParts, type VerifiedImage } from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createCredentialThread } from '../../../lib/provenance/credential-thread.ts';
import { toManifestDefinition } from '../../../lib/provenance/manifest-definition.ts';
import { trialCertificates } from '../../support/provenance/certificates.ts';
import { CREATED, GENERATED, toSigningKey } from '../../support/provenance/signed-images.ts';
import { slices } from '../../support/slices.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { durationsOf } from '../measure/durations.ts';
import { inMegabytes, noise } from '../measure/image.ts';
import { median, percentile, withRange } from '../measure/statistics.ts';

const CALLS_A_ROUND = 20;
const FORMATS: readonly OutputFormat[] = ['png', 'jpeg', 'webp'];
const EDGES = { png: 1000, jpeg: 1300, webp: 1000 };

const { signal } = new AbortController();
const limits = {
  ...{ max_encoded_bytes: 33_554_432, max_edge: 16_384, max_pixels: 67_108_864 },
  max_decode_ms: 60_000,
};

/** The mark and the credentials of images of about three megabytes. */
export const provenance: Bench = {
  name: 'provenance',
  async run({ rounds }) {
    const engine = createImageEngine({ limits, clock: systemClock, slices });
    const thread = createCredentialThread({
      clock: systemClock,
      timeoutMs: 30_000,
      trustAnchors: () => undefined,
    });
    const key = toSigningKey(trialCertificates());
    const rows: Row[] = [
      await measureWithLoop('a millisecond without work', '–', median, rounds, () => delay(1)),
    ];
    try {
      for (const format of FORMATS) {
        const image = await inspected(await noise(EDGES[format], format));
        const size = inMegabytes(image.bytes.length);
        const sign = async (parent: Uint8Array | undefined) => {
          const original = { bytes: parent ?? image.bytes, format, hasCredentials: true };
          const claim =
            parent === undefined
              ? CREATED
              : ({
                  kind: 'changed',
                  model: 'm',
                  sourceType: GENERATED,
                  original,
                  changes: ['edited'],
                } as const);
          const manifest = toManifestDefinition(claim, { name: 'bench', version: '1' }, randomUUID);
          const task = { kind: 'sign', image, ...manifest, key } as const;
          const outcome = await thread.run(task, signal);
          if (!outcome.ok || outcome.result === undefined) throw new Error('not signed');
          return outcome.result;
        };
        const bytes = await sign(undefined);
        const signed = { bytes: Buffer.from(bytes), format };
        rows.push(
          await measure(
            `credentials found in a ${format} of ${size}`,
            '< 0.1 ms',
            median,
            rounds,
            () => engine.manifestBytes(signed, signal),
          ),
          await measure(`a mark in a ${format} of ${size}`, '< 5 ms', median, rounds, () =>
            engine.writeXmp(inParts(image), { sourceType: GENERATED }, signal),
          ),
          await measureWithLoop(
            `credentials of a ${format} validated, p95`,
            '< 60 ms',
            p95,
            rounds,
            () => thread.run({ kind: 'validate', image: signed }, signal),
          ),
          await measureWithLoop(
            `a ${format} signed with its original, p95`,
            '< 150 ms',
            p95,
            rounds,
            () => sign(bytes),
          ),
        );
      }
    } finally {
      await thread.close();
      await engine.close();
    }
    return rows;

    async function inspected(bytes: Buffer): Promise<VerifiedImage> {
      const inspection = await engine.inspect(bytes, signal);
      if (!inspection.ok) throw new Error(inspection.fault);
      return inspection.image;
    }
  },
};

const p95 = (times: readonly number[]) => percentile(times, 0.95);

async function measure(
  what: string,
  budget: string,
  summary: (times: readonly number[]) => number,
  rounds: number,
  call: () => Promise<unknown>,
): Promise<Row> {
  const results: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    results.push(summary(await durationsOf(CALLS_A_ROUND, call)));
  }
  return { what, ours: `${withRange(results)} ms`, budget };
}

/** Measures calls whose work runs in another thread, and the delay of the event loop meanwhile. */
async function measureWithLoop(...call: Parameters<typeof measure>): Promise<Row> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const row = await measure(...call);
  delays.disable();
  const [p99, worst] = [delays.percentile(99), delays.max].map((ns) => (ns / 1e6).toFixed(1));
  return { ...row, loop: `${p99} / ${worst} ms` };
}
