import type { Raw, Sharp } from 'sharp';
import { BridgeError } from '../../errors/bridge-error.ts';
import { createThreadPool, type ThreadPool } from '../../platform/thread-pool.ts';
import type { SharpFactory } from '../decode/load-sharp.ts';
import {
  encoded,
  pixelDecode,
  pixelEncode,
  turnedAlpha,
  turnedSource,
} from '../decode/sharp-pipelines.ts';
import {
  type Canvas,
  type Edges,
  type ImageTools,
  type MaskedSource,
  type Pixels,
  uprightEdges,
  type VerifiedImage,
} from '../image.ts';
import type { ScopedWork } from '../image-work.ts';
import type { CompositeTask } from './composite-pixels.ts';

type CompositeTools = Pick<ImageTools, 'drawOnCanvas' | 'drawMask' | 'composite'>;

export interface Composites {
  /** Returns the operations for the work of one scope. */
  toolsWith(work: ScopedWork): CompositeTools;
  /** Stops the threads. Resolves when all threads have stopped. */
  close(): Promise<void>;
}

const POOL = { name: 'composite', worker: '#composite-worker', threads: 2 } as const;

/** Creates the operations that draw sources and masks on canvases and composite the results over the source. */
export function createComposites(): Composites {
  const pool = createThreadPool<Omit<CompositeTask, 'stop'>, ArrayBuffer>(POOL);
  return { toolsWith: (work) => createTools(work, pool), close: () => pool.close() };
}

function createTools(
  { start, startRaw, step, track }: ScopedWork,
  pool: ThreadPool<Omit<CompositeTask, 'stop'>, ArrayBuffer>,
): CompositeTools {
  /** Returns the area of the drawn image, scaled to the dimensions of the source. */
  async function drawnIn(
    sharp: SharpFactory,
    drawn: VerifiedImage,
    { source, canvas }: MaskedSource,
    channels: 3 | 4,
    signal: AbortSignal,
  ): Promise<Sharp> {
    // The rotation and the extraction are two steps, because in one step sharp extracts the area before the rotation for some
    // orientations and after the rotation for others.
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
          // The alpha is decoded first and scaled later. Scaling the alpha together with the colours would make a 16-bit mask
          // differ from the same mask in 8 bits.
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
          // This cannot deadlock, because each of the three operations releases its decode slot before it waits for another
          // slot.
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

/** Decodes a pipeline into a buffer that can be transferred. Throws `internal` if the buffer contains other bytes too. */
async function memoryOf(
  pipeline: Sharp,
  { width, height }: Edges,
  channels: number,
): Promise<ArrayBuffer> {
  const { buffer } = (await pipeline.toUint8Array()).data;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === width * height * channels) {
    return buffer;
  }
  throw new BridgeError('internal', 'decoded image has an unexpected number of bytes');
}

type Plane = Omit<Pixels, 'channels'>;

/** The colour of closed pixels: 255 in an alpha plane. */
const CLOSED = '#ffffff';

/** Draws an image on the canvas as a PNG. The edge pixels of the image are repeated around the image. */
function canvasImage(sharp: SharpFactory, image: VerifiedImage, canvas: Canvas): Sharp {
  const scaled = turnedSource(sharp, image).resize(areaSize(canvas));
  return encoded(scaled.extend({ ...margins(canvas), extendWith: 'copy' }), { format: 'png' });
}

/**
 * Draws the alpha of a mask on the canvas with two values. Alpha 255 becomes closed (255); every lower alpha becomes open (0).
 * The canvas outside the area is closed.
 */
function canvasAlpha(sharp: SharpFactory, alpha: Plane, canvas: Canvas): Sharp {
  const scaled = sharp(alpha.data, { raw: rawOf(alpha, 1) }).resize(areaSize(canvas));
  const whole = scaled.extend({ ...margins(canvas), background: CLOSED });
  return whole.threshold(255).toColourspace('b-w').raw();
}

/**
 * Encodes an alpha plane as a PNG: either as the alpha of a black image, or as a greyscale image that is white where the alpha
 * is 0.
 */
function maskImage(sharp: SharpFactory, alpha: Plane, form: 'alpha' | 'white'): Sharp {
  const { data, width, height } = alpha;
  if (form === 'white') {
    const grey = sharp(data, { raw: rawOf(alpha, 1) }).negate();
    return encoded(grey.toColourspace('b-w'), { format: 'png' });
  }
  const black = sharp(Buffer.alloc(width * height * 3), { raw: rawOf(alpha, 3) });
  return encoded(black.joinChannel(data, { raw: rawOf(alpha, 1) }), { format: 'png' });
}

/** Extracts the area of the canvas from a drawn image and scales it to exactly `size`, as raw pixels. */
function drawnArea(sharp: SharpFactory, drawn: Pixels, canvas: Canvas, size: Edges): Sharp {
  const { data, channels } = drawn;
  const area = sharp(data, { raw: rawOf(drawn, channels) }).extract(areaIn(canvas, drawn));
  return area.resize({ width: size.width, height: size.height, fit: 'fill' }).raw();
}

function areaSize({ area: { width, height } }: Canvas) {
  return { width, height, fit: 'fill' } as const;
}

function margins({ width, height, area }: Canvas) {
  return {
    left: area.left,
    top: area.top,
    right: width - area.left - area.width,
    bottom: height - area.top - area.height,
  };
}

function rawOf({ width, height }: Plane, channels: Raw['channels']): Raw {
  return { width, height, channels };
}

/**
 * Returns the area of a canvas in the pixels of `image`, which shows the whole canvas in any size. The area has whole pixels
 * and is at least one pixel wide and high.
 */
export function areaIn(canvas: Canvas, image: Edges): Canvas['area'] {
  const { left, top, width, height } = canvas.area;
  const across = scaledSpan(left, width, image.width / canvas.width, image.width);
  const down = scaledSpan(top, height, image.height / canvas.height, image.height);
  return { left: across.start, top: down.start, width: across.length, height: down.length };
}

function scaledSpan(start: number, length: number, scale: number, limit: number) {
  const first = Math.min(Math.round(start * scale), limit - 1);
  const end = Math.round((start + length) * scale);
  return { start: first, length: Math.max(1, end - first) };
}
