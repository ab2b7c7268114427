import { dataBomb, gif, pixelBomb, svg, textBomb } from '../../upstream/odd-images.ts';
import { padPng } from '../../upstream/png-chunks.ts';
import type { CallInFlight } from '../call-in-flight.ts';
import { behaviour } from './behaviour.ts';
import { allOf, defaultResponse, firstIndex, play } from './default-response.ts';

const TOO_LARGE_BYTES = 35_000_000;

type Make = (inFlight: CallInFlight) => Buffer | Promise<Buffer>;

/** Valid streams with a wrong image. */
export const IMAGE_ROWS = [
  image('gif', 'a GIF', gif),
  image('svg', 'an SVG', svg),
  image('html', 'a page', () => Buffer.from('<!doctype html><p>no image</p>')),
  image('pixel-bomb', 'a small PNG of 900 million pixels', pixelBomb),
  image('data-bomb', 'a small PNG that inflates to 256 MiB', dataBomb),
  image('text-bomb', 'a small PNG with a text of 256 MiB', textBomb),
  image('truncated', 'the first two thirds of the image', async (inFlight) => {
    const { bytes } = await inFlight.generate();
    return bytes.subarray(0, Math.floor((bytes.length * 2) / 3));
  }),
  image('trailing', 'the image and 1000 bytes more', async (inFlight) => {
    const { bytes } = await inFlight.generate();
    return Buffer.concat([bytes, Buffer.alloc(1000, 'x')]);
  }),
  image('corrupt', 'the image with a run of zeros inside', async (inFlight) => {
    const bytes = Buffer.from((await inFlight.generate()).bytes);
    const middle = Math.floor(bytes.length / 2);
    return bytes.fill(0, middle, middle + Math.floor(bytes.length / 20));
  }),
  image('other-format', 'another format than requested', async (inFlight) => {
    const { format } = inFlight.order;
    return (await inFlight.generate({ format: format === 'png' ? 'jpeg' : 'png' })).bytes;
  }),
  image('other-size', 'half as wide as requested', async (inFlight) => {
    return (await inFlight.generate({ width: inFlight.order.width / 2 })).bytes;
  }),
  image('with-alpha', 'a PNG with alpha, requested or not', async (inFlight) => {
    return (await inFlight.generate({ hasAlpha: true, ground: undefined, format: 'png' })).bytes;
  }),
  image('without-alpha', 'an opaque PNG, whatever was requested', async (inFlight) => {
    return (await inFlight.generate({ hasAlpha: false, ground: undefined, format: 'png' })).bytes;
  }),
  image('too-large', `a PNG of ${TOO_LARGE_BYTES} bytes`, async (inFlight) => {
    return padPng((await inFlight.generate({ format: 'png' })).bytes, TOO_LARGE_BYTES);
  }),
  image('empty', 'an empty result', () => Buffer.alloc(0)),

  base64('alphabet', 'a * in the middle', (good) => splice(good, '*')),
  base64('url', 'in the alphabet for URLs', (good) =>
    good.replaceAll('+', '-').replaceAll('/', '_'),
  ),
  base64('space', 'a space in the middle', (good) => splice(good, ' ')),
  base64('length', 'its last character is missing', (good) => good.slice(0, -1)),
  base64('padding', 'more after the padding', (good) => `${good.replace(/=+$/, '')}==AAAA`),
  base64('data-url', 'a data URL', (good) => `data:image/png;base64,${good}`),
  base64('words', 'words', () => 'this is no image, is it?'),

  partial('gif', 'a GIF', async () => (await gif()).toString('base64')),
  partial('base64', 'wrong base64', () => 'no base64!'),
] as const;

function image<const Name extends string>(name: Name, what: string, make: Make) {
  return behaviour(`image=${name}`, `the image is ${what}`, async (inFlight) => {
    const bytes = await make(inFlight);
    const reply = await defaultResponse(inFlight, {
      base64: Buffer.from(bytes.toString('base64')),
    });
    await play(inFlight, allOf(reply));
  });
}

function base64<const Name extends string>(
  name: Name,
  what: string,
  corrupt: (good: string) => string,
) {
  return behaviour(`base64=${name}`, `wrong base64: ${what}`, async (inFlight) => {
    const good = (await inFlight.generate()).base64.toString('latin1');
    const reply = await defaultResponse(inFlight, { base64: Buffer.from(corrupt(good)) });
    await play(inFlight, allOf(reply));
  });
}

function splice(text: string, letter: string): string {
  const middle = Math.floor(text.length / 2);
  return `${text.slice(0, middle)}${letter}${text.slice(middle + 1)}`;
}

/** The partial image is corrupt, and the finished image is valid. */
function partial<const Name extends string>(
  name: Name,
  what: string,
  make: () => string | Promise<string>,
) {
  return behaviour(`partial=${name}`, `the partial image is ${what}`, async (inFlight) => {
    const reply = await defaultResponse(inFlight);
    const corrupted = Buffer.from(await make());
    const id = inFlight.items.newCallId();
    const shown = inFlight.events.partial(id, firstIndex(inFlight), 0, corrupted);
    await play(inFlight, allOf({ ...reply, partials: [shown] }));
  });
}
