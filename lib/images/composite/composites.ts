import type { Sharp } from 'sharp';
import { BridgeError } from '../../errors/bridge-error.ts';
import { createThreadPool, type ThreadPool } from '../../platform/thread-pool.ts';
import type { SharpFactory } from '../decode/load-sharp.ts';
import { pixelDecode, pixelEncode, turnedAlpha } from '../decode/sharp-pipelines.ts';
import type { ImageTools, MaskedSource, VerifiedImage } from '../image.ts';
import type { ScopedWork } from '../image-work.ts';
import { uprightEdges } from '../upright-edges.ts';
import { canvasAlpha, canvasImage, drawnArea, maskImage } from './canvas-pipelines.ts';
import type { CompositeTask } from './composite-task.ts';

type CompositeTools = Pick<ImageTools, 'drawOnCanvas' | 'drawMask' | 'composite'>;

export interface Composites {
  /** The operations, in the turns of one scope. */
  toolsWith(work: ScopedWork): CompositeTools;
  /** Resolves when no thread runs any more. */
  close(): Promise<void>;
}

const POOL = { name: 'composite', worker: '#composite-worker', threads: 2 } as const;

/** Draws sources and masks on canvases, and puts what came of them together with the source again. */
export function createComposites(): Composites {
  const pool = createThreadPool<Omit<CompositeTask, 'stop'>, ArrayBuffer>(POOL);
  return { toolsWith: (work) => createTools(work, pool), close: () => pool.close() };
}

function createTools(
  { start, startRaw, step, track }: ScopedWork,
  pool: ThreadPool<Omit<CompositeTask, 'stop'>, ArrayBuffer>,
): CompositeTools {
  /** The area of the drawn image, with the edges of the source. */
  async function drawnIn(
    sharp: SharpFactory,
    drawn: VerifiedImage,
    { source, canvas }: MaskedSource,
    channels: 3 | 4,
    signal: AbortSignal,
  ): Promise<Sharp> {
    // In two steps: sharp would take the area before it rotates some orientations and after it rotates others.
    const whole = () =>
      pixelDecode(sharp, drawn, { channels }).toBuffer({ resolveWithObject: true });
    const { data, info } = await step('decoded', drawn, whole, signal);
    const pixels = { data, width: info.width, height: info.height, channels };
    return drawnArea(sharp, pixels, canvas, uprightEdges(source));
  }

  return {
    drawOnCanvas(image, canvas, signal) {
      const draw = (sharp: SharpFactory) => canvasImage(sharp, image, canvas).toBuffer();
      return start((sharp) => step('drawn', canvas, () => draw(sharp), signal), signal);
    },

    drawMask(mask, canvas, form, signal) {
      return startRaw(
        mask,
        async (sharp) => {
          // In two steps: scaled together with its colours, a mask of 16 bits would differ from the same one of 8.
          const decode = () => turnedAlpha(sharp, mask).toBuffer();
          const alpha = {
            ...uprightEdges(mask),
            data: await step('decoded', mask, decode, signal),
          };
          const draw = () => canvasAlpha(sharp, alpha, canvas).toBuffer();
          const { width, height } = canvas;
          const opened = { width, height, data: await step('drawn', canvas, draw, signal) };
          return step('encoded', canvas, () => maskImage(sharp, opened, form).toBuffer(), signal);
        },
        signal,
      );
    },

    composite(drawn, masked, options, signal) {
      return startRaw(
        masked.source,
        async (sharp) => {
          const { source, mask } = masked;
          const size = uprightEdges(source);
          const channels = hasAlpha(source) || hasAlpha(drawn) ? 4 : 3;
          const decode = async (pipeline: Sharp | Promise<Sharp>, count: 1 | 3 | 4) => {
            const ready = await pipeline;
            return step('decoded', size, () => memoryOf(ready, size, count), signal);
          };
          // None of them waits for a decode slot while it holds one.
          const [area, kept, alpha] = await Promise.all([
            decode(drawnIn(sharp, drawn, masked, channels, signal), channels),
            decode(pixelDecode(sharp, source, { channels }), channels),
            decode(turnedAlpha(sharp, mask), 1),
          ]);
          const task = { ...size, channels, kept, drawn: area, alpha } as const;
          const data = await track(pool.run(task, signal, [kept, area, alpha]));
          const pixels = { ...size, channels, data: Buffer.from(data) } as const;
          return step(
            'encoded',
            pixels,
            () => pixelEncode(sharp, pixels, options).toBuffer(),
            signal,
          );
        },
        signal,
      );
    },
  };
}

function hasAlpha({ alpha }: VerifiedImage): boolean {
  return alpha !== 'none';
}

/** The decoded bytes in memory of their own, which can be transferred. */
async function memoryOf(
  pipeline: Sharp,
  { width, height }: { readonly width: number; readonly height: number },
  channels: number,
): Promise<ArrayBuffer> {
  const { buffer } = (await pipeline.toUint8Array()).data;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === width * height * channels) {
    return buffer;
  }
  throw new BridgeError('internal', 'a decoded image has an unexpected number of bytes');
}
