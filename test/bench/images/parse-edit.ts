import { isAscii } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { handler } from '../../../handlers/images/create-image.ts';
import type { ImageResponseWithBytes } from '../../../lib/contract/reply/image-response.ts';
import type { ImageRequest } from '../../../lib/contract/request/image-request.ts';
import { toInputSources } from '../../../lib/inputs/to-input-sources.ts';
import { invoke } from '../../support/invoke.ts';
import { slices } from '../../support/slices.ts';
import type { Bench } from '../measure/bench.ts';
import { durationsOf } from '../measure/durations.ts';
import { inMegabytes } from '../measure/image.ts';
import { inMs, median, withRange } from '../measure/statistics.ts';
import { editBody } from './edit-image.ts';

const SOURCE_BYTES = 9_000_000;
const { signal } = new AbortController();
const REQUESTS_A_ROUND = 20;
const NOTHING = {} as ImageResponseWithBytes;

/**
 * The same edit in this process, from the bytes of the body to the bytes of the image, without socket and verification. This
 * measures only the parsing. The other side gets the same bytes in the cheapest way, without checks.
 */
export const parseEdit: Bench = {
  name: 'parse-edit',
  async run({ rounds }) {
    const body = Buffer.from(editBody(randomBytes(SOURCE_BYTES)));
    const imageRequests = {
      async serve(request: ImageRequest) {
        const sources = toInputSources(request, 2 * SOURCE_BYTES);
        const [source] = (await slices.run(sources, signal)).images;
        expectBytes(source?.kind === 'inline' ? source.bytes : undefined);
        // The reply is not read and contains no bytes to encode.
        return { value: NOTHING, replayed: false };
      },
      stream: () => Promise.reject(new Error('no stream was asked for')),
    };
    const ours = async () => {
      const { status } = await invoke(handler, { method: 'POST', body }, { imageRequests });
      if (status !== 200) throw new Error(`status ${status}`);
    };
    const theirs = async () => {
      const text = isAscii(body) ? body.toString('latin1') : body.toString('utf8');
      const request: { images: { data: string }[] } = JSON.parse(text);
      expectBytes(Buffer.from(request.images[0]?.data ?? '', 'base64'));
    };
    const times = { ours: [0], theirs: [0] };
    await each(ours);
    await each(theirs);
    times.ours.length = 0;
    times.theirs.length = 0;
    for (let round = 0; round < rounds; round += 1) {
      times.ours.push(await each(ours));
      times.theirs.push(await each(theirs));
    }
    return [
      {
        what: `edit of ${inMegabytes(body.length)} from body to bytes, in one process`,
        ours: inMs(median(times.ours)),
        against: '`isAscii`, `latin1`, `JSON.parse`, base64',
        theirs: inMs(median(times.theirs)),
        ratio: withRange(times.ours.map((ms, round) => ms / (times.theirs[round] ?? Number.NaN))),
        budget: '≤ 1.3',
      },
    ];
  },
};

/** Returns the median time of one call in milliseconds. */
async function each(call: () => Promise<void>): Promise<number> {
  return median(await durationsOf(REQUESTS_A_ROUND, call));
}

function expectBytes(bytes: Buffer | undefined): void {
  if (bytes?.length !== SOURCE_BYTES) throw new Error('the image did not arrive');
}
