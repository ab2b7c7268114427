import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import { writeXmp } from '../../../lib/images/xmp/image-xmp.ts';
import { toXmpJson } from '../../../lib/images/xmp/xmp-packet.ts';
import { slices } from '../../support/slices.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { durationsOf } from '../measure/durations.ts';
import { inMegabytes, noise } from '../measure/image.ts';
import { inMs, median, withRange } from '../measure/statistics.ts';

const CALLS_A_ROUND = 40;
const { signal } = new AbortController();
const RECORD = toXmpJson(JSON.stringify({ version: '1', prompt: 'A cat & a "dog". '.repeat(200) }));

/** A record written into images of about three megabytes, against one copy of their bytes. */
export const embedMetadata: Bench = {
  name: 'embed-metadata',
  async run({ rounds }) {
    const rows: Row[] = [];
    for (const [format, edge] of [
      ['png', 1000],
      ['jpeg', 1300],
      ['webp', 1000],
    ] as const) {
      rows.push(await measure(format, await noise(edge, format), rounds));
    }
    return rows;
  },
};

async function measure(format: OutputFormat, bytes: Buffer, rounds: number): Promise<Row> {
  const times: Record<'ours' | 'theirs', number[]> = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.ours.push(
      await each(async () => writeXmp({ bytes, format }, { record: RECORD }, slices, signal)),
    );
    times.theirs.push(await each(async () => Buffer.concat([bytes])));
  }
  return {
    what: `XMP into a ${format} of ${inMegabytes(bytes.length)}`,
    ours: inMs(median(times.ours)),
    against: 'a copy of its bytes',
    theirs: inMs(median(times.theirs)),
    ratio: withRange(times.ours.map((ms, round) => ms / (times.theirs[round] ?? Number.NaN))),
    budget: '< 2 ms',
  };
}

/** Returns the median time of one call in milliseconds. */
async function each(call: () => Promise<unknown>): Promise<number> {
  return median(await durationsOf(CALLS_A_ROUND, call));
}
