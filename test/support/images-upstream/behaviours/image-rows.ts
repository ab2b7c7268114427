import { dataBomb, gif, pixelBomb, svg, textBomb } from '../../upstream/odd-images.ts';
import { padPng } from '../../upstream/png-chunks.ts';
import type { CallInFlight } from '../call-in-flight.ts';
import { behaviour } from './behaviour.ts';
import { allOf, defaultEvents, play } from './default-reply.ts';

const TOO_LARGE_BYTES = 35_000_000;

type Make = (inFlight: CallInFlight) => Buffer | Promise<Buffer>;

/** Valid replies with a wrong image. */
export const IMAGE_ROWS = [
  image('gif', 'a GIF', gif),
  image('svg', 'an SVG', svg),
  image('html', 'a page', () => Buffer.from('<!doctype html><p>no image</p>')),
  image('pixel-bomb', 'a small PNG of 900 million pixels', pixelBomb),
  image('data-bomb', 'a small PNG that inflates to 256 MiB', dataBomb),
  image('text-bomb', 'a small PNG with a text of 256 MiB', textBomb),
  image('truncated', 'the first two thirds of the image', async (inFlight) => {
    const { bytes } = await inFlight.draw();
    return bytes.subarray(0, Math.floor((bytes.length * 2) / 3));
  }),
  image('trailing', 'the image and 1000 bytes more', async (inFlight) =>
    Buffer.concat([(await inFlight.draw()).bytes, Buffer.alloc(1000, 'x')]),
  ),
  image('other-format', 'another format than requested', async (inFlight) => {
    const { format } = inFlight.order;
    return (await inFlight.draw({ format: format === 'png' ? 'jpeg' : 'png' })).bytes;
  }),
  image(
    'other-size',
    'half as wide as requested',
    async (inFlight) => (await inFlight.draw({ width: inFlight.order.width / 2 })).bytes,
  ),
  image(
    'with-alpha',
    'a PNG with alpha, requested or not',
    async (inFlight) =>
      (await inFlight.draw({ hasAlpha: true, ground: undefined, format: 'png' })).bytes,
  ),
  image(
    'without-alpha',
    'an opaque PNG, whatever was requested',
    async (inFlight) => (await inFlight.draw({ hasAlpha: false, format: 'png' })).bytes,
  ),
  image('too-large', `a PNG of ${TOO_LARGE_BYTES} bytes`, async (inFlight) =>
    padPng((await inFlight.draw({ format: 'png' })).bytes, TOO_LARGE_BYTES),
  ),
  image('empty', 'an empty image', () => Buffer.alloc(0)),

  base64('alphabet', 'a * in the middle', (good) => splice(good, '*')),
  base64('url', 'in the alphabet for URLs', (good) =>
    good.replaceAll('+', '-').replaceAll('/', '_'),
  ),
  base64('space', 'a space in the middle', (good) => splice(good, ' ')),
  base64('length', 'its last character is missing', (good) => good.slice(0, -1)),
  base64('data-url', 'a data URL', (good) => `data:image/png;base64,${good}`),
  base64('words', 'words', () => 'this is no image, is it?'),
] as const;

function image<const Name extends string>(name: Name, what: string, make: Make) {
  return behaviour(`image=${name}`, `the image is ${what}`, async (inFlight) => {
    const bytes = await make(inFlight);
    await send(inFlight, Buffer.from(bytes.toString('base64'), 'latin1'));
  });
}

function base64<const Name extends string>(
  name: Name,
  what: string,
  corrupt: (good: string) => string,
) {
  return behaviour(`base64=${name}`, `wrong base64: ${what}`, async (inFlight) => {
    const good = (await inFlight.draw()).base64.toString('latin1');
    await send(inFlight, Buffer.from(corrupt(good), 'latin1'));
  });
}

function splice(text: string, letter: string): string {
  const middle = Math.floor(text.length / 2);
  return `${text.slice(0, middle)}${letter}${text.slice(middle + 1)}`;
}

async function send(inFlight: CallInFlight, base64: Buffer): Promise<void> {
  if (inFlight.call.isStream) {
    await play(inFlight, allOf(await defaultEvents(inFlight, { base64 })));
  } else {
    const item = { b64_json: inFlight.mark(base64) };
    await inFlight.replyJson(inFlight.body(Array(inFlight.call.n).fill(item)));
  }
}
