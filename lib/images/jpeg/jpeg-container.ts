import type { Steps } from '../../platform/time-slices.ts';
import { type ContainerVerdict, refused } from '../container/container-facts.ts';
import { openTiff } from '../container/tiff.ts';
import type { ImageFault } from '../image.ts';
import { type JpegImage, walkJpeg } from './jpeg-walk.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** CIPA DC-007, 5.2.3: the MP entries, sixteen bytes each: attributes, size, offset, two dependents. */
const MP_ENTRY_TAG = 0xb002;
const MP_ENTRY_BYTES = 16;

/**
 * Checks a JPEG from SOI to its last byte. Only the images that an MPF segment lists may follow the EOI, each complete and
 * without gaps up to the end of the file.
 */
export function* checkJpeg(bytes: Buffer): Steps<ContainerVerdict> {
  const main = yield* walkJpeg(bytes, { isShown: true });
  if (!main.ok) return main;
  if (main.end < bytes.length) {
    const fault = yield* checkFurtherImages(bytes, main);
    if (fault !== undefined) return refused(fault);
  }
  return { ok: true, facts: main.facts };
}

function* checkFurtherImages(bytes: Buffer, main: JpegImage): Steps<ImageFault | undefined> {
  let covered = main.end;
  for (const { start, end } of listedImages(main)) {
    if (start !== covered) return 'trailing_bytes';
    if (end > bytes.length) return 'truncated';
    const image = yield* walkJpeg(bytes.subarray(start, end), { isShown: false });
    if (!image.ok) return image.fault;
    if (start + image.end !== end) return 'trailing_bytes';
    covered = end;
  }
  return covered === bytes.length ? undefined : 'trailing_bytes';
}

/** Where the images after the first one are according to the MPF index, in the order of the file. */
function listedImages({ mpf }: JpegImage): readonly Span[] {
  const tiff = mpf === undefined ? undefined : openTiff(mpf.tiff);
  const field = tiff?.field(MP_ENTRY_TAG);
  if (mpf === undefined || tiff === undefined || field === undefined) return [];
  const spans: Span[] = [];
  for (let index = 1; index < Math.floor(field.count / MP_ENTRY_BYTES); index += 1) {
    const entry = field.at + index * MP_ENTRY_BYTES;
    const size = tiff.uint32(entry + 4);
    const offset = tiff.uint32(entry + 8);
    if (size === undefined || offset === undefined) return [];
    spans.push({ start: mpf.at + offset, end: mpf.at + offset + size });
  }
  return spans.sort((a, b) => a.start - b.start);
}
