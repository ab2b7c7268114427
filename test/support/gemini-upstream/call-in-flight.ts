import sharp from 'sharp';
import type { Clock } from '../../../lib/platform/clock.ts';
import type { Ids } from '../../../lib/platform/ids.ts';
import { createBase64Slots } from '../upstream/base64-slots.ts';
import type { ByteSink, Chunks } from '../upstream/byte-sink.ts';
import type { Image, ImageOrder, Images } from '../upstream/images.ts';
import { createReplyWire } from '../upstream/reply-wire.ts';
import type { ReceivedCall } from '../upstream/run-call.ts';
import type { CheckedRequest } from './check-request.ts';
import { textOf } from './generate-request.ts';
import { edgesOf, nearestRatio } from './models.ts';

/** The form of replies. A step of the script may change it for one call. */
export interface Settings {
  readonly chunks: Chunks;
  readonly chunkPauseMs: number;
  /** Time for which a silent behaviour sends nothing. */
  readonly silenceMs: number;
  /** Size of an image. Exact for PNG from 30 kB, approximate for JPEG. */
  readonly imageBytes: number;
  /** Number of calls after which the images repeat. */
  readonly imageVariants: number;
  /** Format of images. A request cannot choose it. */
  readonly format: 'png' | 'jpeg';
}

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly images: Images;
  readonly settings: Settings;
  readonly checked: CheckedRequest;
  readonly call: ReceivedCall;
}

/** A part of the content of a candidate. */
export type Part = Readonly<Record<string, unknown>>;

const TEXT_TOKENS = 9;
const INPUT_IMAGE_TOKENS = 258;
const IMAGE_TOKENS = 1120;

export type CallInFlight = Awaited<ReturnType<typeof createCallInFlight>>;

/** One checked call, and the functions that a behaviour may use for it. */
export async function createCallInFlight(deps: Deps) {
  const { clock, ids, images, settings, checked, call } = deps;
  const slots = createBase64Slots(ids);
  const order = await imageOrder(checked, settings, call.number);

  function partOf(base64: Buffer, mimeType = `image/${order.format}`): Part {
    return { inlineData: { mimeType, data: slots.mark(base64) } };
  }

  const { open, ...wire } = createReplyWire({
    clock,
    slots,
    settings,
    ...call,
    onCut: () => call.notify({ outcome: 'cut' }),
    onSilence: (isSilent) => call.notify({ isSilent }),
  });

  return {
    ...wire,
    order,

    /** Sends the header of a reply and the first half of its body. Resolves with the open body. */
    async replyHalf(status: number, body: unknown): Promise<ByteSink> {
      const sink = open({ 'content-type': 'application/json' }, {}, status);
      const whole = Buffer.concat(slots.fill(JSON.stringify(body)));
      await sink.write(whole.subarray(0, Math.floor(whole.length / 2)));
      return sink;
    },

    /** Sends bytes without changes. */
    async replyBytes(status: number, bytes: Buffer): Promise<void> {
      const sink = open({ 'content-type': 'application/json' }, {}, status);
      await sink.write(bytes);
      await sink.end();
    },

    /** Returns the requested image, with `changes`. */
    generate(changes: Partial<ImageOrder> = {}): Promise<Image> {
      return images.generate({ ...order, ...changes });
    },

    partOf,

    /** Returns the part with the requested image. */
    async imagePart(changes: Partial<ImageOrder> = {}): Promise<Part> {
      return partOf((await images.generate({ ...order, ...changes })).base64);
    },

    usage() {
      const imageTokens = INPUT_IMAGE_TOKENS * checked.images.length;
      const promptTokenCount = TEXT_TOKENS + imageTokens;
      return {
        promptTokenCount,
        candidatesTokenCount: IMAGE_TOKENS,
        totalTokenCount: promptTokenCount + IMAGE_TOKENS,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: TEXT_TOKENS },
          ...(imageTokens > 0 ? [{ modality: 'IMAGE', tokenCount: imageTokens }] : []),
        ],
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: IMAGE_TOKENS }],
      };
    },

    responseId: ids.newOpaqueId(),
  };
}

/** Returns the order for the requested image. An edit without a ratio keeps that of its first image if the model supports it. */
async function imageOrder(
  { model, request, images }: CheckedRequest,
  settings: Settings,
  number: number,
): Promise<ImageOrder> {
  const { aspectRatio, imageSize = '1K' } = request.generationConfig.imageConfig ?? {};
  const [first] = images;
  const source = first ? await sharp(first).metadata() : { width: 1, height: 1 };
  const ratio = aspectRatio ?? nearestRatio(model, source.width, source.height);
  return {
    ...edgesOf(ratio, imageSize),
    format: settings.format,
    hasAlpha: false,
    ground: /#[0-9a-f]{6}\b/i.exec(textOf(request))?.[0],
    bytes: settings.imageBytes,
    variant: String(number % settings.imageVariants),
  };
}
