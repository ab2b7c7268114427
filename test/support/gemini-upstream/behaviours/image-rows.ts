import { gif, pixelBomb, svg } from '../../upstream/odd-images.ts';
import { padPng } from '../../upstream/png-chunks.ts';
import { UPSTREAM_TEXT } from '../../upstream/upstream-text.ts';
import type { CallInFlight, Part } from '../call-in-flight.ts';
import { behaviour, imageReply, replyOf } from './behaviour.ts';

const TOO_LARGE_BYTES = 35_000_000;
const SIGNATURE_BYTES = 600_000;

type Parts = (inFlight: CallInFlight) => Promise<readonly Part[]>;

/** Replies with an image, in every form that a client must accept and in invalid forms. */
export const IMAGE_ROWS = [
  behaviour('succeed', 'the requested image', async (inFlight) => {
    await inFlight.reply(200, await imageReply(inFlight));
  }),
  parts('text-first', 'a text before the image', async (inFlight) => [
    { text: UPSTREAM_TEXT },
    await inFlight.imagePart(),
  ]),
  parts('thoughts', 'a thought in words and a draft before the image', async (inFlight) => [
    { text: UPSTREAM_TEXT, thought: true },
    { ...(await inFlight.imagePart({ variant: 'a draft' })), thought: true },
    { ...(await inFlight.imagePart()), thoughtSignature: signature() },
  ]),
  parts('thoughts-only', 'a draft and no image', async (inFlight) => [
    { ...(await inFlight.imagePart()), thought: true },
  ]),
  parts('two-images', 'two different images', async (inFlight) => [
    await inFlight.imagePart(),
    await inFlight.imagePart({ variant: 'another' }),
  ]),
  parts('format=jpeg', 'a JPEG', async (inFlight) => [
    inFlight.partOf((await inFlight.generate({ format: 'jpeg' })).base64, 'image/jpeg'),
  ]),
  parts('mime=png', 'a JPEG that is called a PNG', async (inFlight) => [
    inFlight.partOf((await inFlight.generate({ format: 'jpeg' })).base64, 'image/png'),
  ]),
  parts('mime=none', 'an image without a type', async (inFlight) => [
    { inlineData: { data: (await inFlight.generate()).base64.toString('latin1') } },
  ]),
  parts('image=other-size', 'an image half as wide as requested', async (inFlight) => [
    await inFlight.imagePart({ width: inFlight.order.width / 2 }),
  ]),
  bytes('gif', 'a GIF', gif),
  bytes('svg', 'an SVG', svg),
  bytes('pixel-bomb', 'a small PNG of 900 million pixels', pixelBomb),
  bytes('empty', 'nothing', () => Buffer.alloc(0)),
  bytes('truncated', 'the first half of the image', async (inFlight) => {
    const { bytes: whole } = await inFlight.generate();
    return whole.subarray(0, Math.floor(whole.length / 2));
  }),
  bytes('too-large', `a PNG of ${TOO_LARGE_BYTES} bytes`, async (inFlight) =>
    padPng((await inFlight.generate({ format: 'png' })).bytes, TOO_LARGE_BYTES),
  ),
  parts('base64=words', 'words instead of base64', async () => [
    { inlineData: { mimeType: 'image/png', data: 'this is no image, is it?' } },
  ]),
  members('usage=none', 'the image without its cost', { usageMetadata: undefined }),
  members('usage=zero', 'the image at no cost', {
    usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
  }),
  members('usage=odd', 'the image at a cost that is no number', {
    usageMetadata: { promptTokenCount: 'nine', totalTokenCount: -1, thoughtsTokenCount: 40 },
  }),
] as const;

function parts<const Name extends string>(name: Name, about: string, make: Parts) {
  return behaviour(name, about, async (inFlight) => {
    await inFlight.reply(200, replyOf(inFlight, await make(inFlight)));
  });
}

function bytes<const Name extends string>(
  name: Name,
  what: string,
  make: (inFlight: CallInFlight) => Buffer | Promise<Buffer>,
) {
  return parts(`image=${name}`, `the image is ${what}`, async (inFlight) => [
    inFlight.partOf(Buffer.from((await make(inFlight)).toString('base64'))),
  ]);
}

function members<const Name extends string>(
  name: Name,
  about: string,
  changes: Readonly<Record<string, unknown>>,
) {
  return behaviour(name, about, async (inFlight) => {
    await inFlight.reply(200, replyOf(inFlight, [await inFlight.imagePart()], changes));
  });
}

/** The state of a thought for later turns: base64 of bytes that are not an image. */
function signature(): string {
  return Buffer.alloc(SIGNATURE_BYTES, 'thought').toString('base64');
}
