import { checkContainer, sniff } from '../../lib/images/container/containers.ts';
import { createImageEngine } from '../../lib/images/image-engine.ts';
import { readRecord, writeXmp } from '../../lib/images/xmp/image-xmp.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import type { Steps } from '../../lib/platform/time-slices.ts';
import { fiftyImages } from '../lib/images/fifty-images.ts';
import { resealed } from '../lib/images/mutations.ts';
import { slices } from '../support/slices.ts';
import type { Fuzzer } from './fuzzer.ts';
import { withinStretch } from './stretches.ts';

const LIMITS = {
  max_encoded_bytes: 4 * 1024 * 1024,
  max_edge: 4096,
  max_pixels: 4 * 1024 * 1024,
  max_decode_ms: 10_000,
};
const RECORD = '{"version":"1","prompt":"a cat"}';

/** Reads damaged PNG, JPEG and WebP files: the container, the pixels, and the metadata. */
export const containers: Fuzzer = {
  name: 'images',
  tokens: ['\xff\xd8', '\xff\xe1\0\x10', 'IDAT', 'iTXt', 'VP8X', 'ICCP', '\0\0\0\0', '\xff'],
  async open() {
    const engine = createImageEngine({ limits: LIMITS, clock: systemClock, slices });
    const { signal } = new AbortController();
    const images = await fiftyImages();

    return {
      inputs: images.map(({ bytes }) => bytes).filter(({ length }) => length < 100_000),
      async check({ bytes, sizes }) {
        // Half of the files have correct checksums, so that the later checks are reached.
        const file = (sizes[0] ?? 0) % 2 === 0 ? resealed(bytes) : bytes;
        const container = inShortSteps(checkContainer(file, LIMITS));
        const inspection = await engine.inspect(file, signal);
        if (inspection.ok && !container.ok) throw new Error('decodes a file with a bad container');
        const format = sniff(file);
        if (format === undefined) return;
        const reading = await readRecord(file, LIMITS, slices, signal);
        const written = await writeXmp({ bytes: file, format }, { record: RECORD }, slices, signal);
        if (!inspection.ok || typeof written === 'string') return;
        const again = await readRecord(written.toBuffer(), LIMITS, slices, signal);
        if (!again.ok || again.record !== RECORD) {
          throw new Error(`a record is lost: ${again.ok ? again.record : again.fault}`);
        }
        if (!reading.ok && reading.fault !== 'no_record') {
          throw new Error(`the record of a valid image is not readable: ${reading.fault}`);
        }
      },
      close: () => engine.close(),
    };
  },
};

function inShortSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = withinStretch(() => steps.next());
    if (step.done === true) return step.value;
  }
}
