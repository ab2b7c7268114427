import type { Raw, Sharp } from 'sharp';
import { createThreadPool } from '../../platform/thread-pool.ts';
import type { SharpFactory } from '../decode/load-sharp.ts';
import {
  encoded,
  pixelDecode,
  pixelEncode,
  turnedAlpha,
  turnedSource,
  wholeBuffer,
} from '../decode/sharp-pipelines.ts';
import {
  type Canvas,
  type CheckedImage,
  type Edges,
  type ImageTools,
  type MaskedSource,
  type Pixels,
  uprightEdges,
} from '../image.ts';
import type { ScopedWork } from '../image-work.ts';
import type { CompositeTask } from './composite-pixels.ts';

type CompositeTools = Pick<ImageTools, 'drawOnCanvas' | 'drawMask' | 'composite'>;

/** Creates the threads that composite images. */
export function createCompositePool() {
  const pool = { name: 'composite', worker: '#composite-worker', threads: 2 } as const;
  return createThreadPool<CompositeTask, ArrayBuffer>(pool);
}

/** Creates the operations that draw sources and masks on canvases and composite the results over the source. */
export function createCompositeTools(
  { start, startRaw, step, track }: ScopedWork,
  pool: ReturnType<typeof createCompositePool>,
): CompositeTools {
  /** Resolves with the area of the drawn image, scaled to the dimensions of the source. */
  async function drawnIn(
    sharp: SharpFactory,
    drawn: CheckedImage,
    { source, canvas }: MaskedSource,
    channels: 3 | 4,
    signal: AbortSignal,
  ): Promise<Sharp> {
    // The rotation and the extraction are two steps. In one step, sharp extracts the area before the rotation for some
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
          const channels = source.alpha === 'none' && drawn.alpha === 'none' ? 3 : 4;
          const decode = async (pipeline: Sharp | Promise<Sharp>, count: 1 | 3 | 4) => {
            const ready = await pipeline;
            return wholeBuffer(
              await step('decoded', size, () => ready.toUint8Array(), signal),
              count,
            );
          };
          // The three operations cannot deadlock, because each releases its decode slot before it waits for another slot.
          const [area, kept, alpha] = await Promise.all([
            decode(drawnIn(sharp, drawn, masked, channels, signal), channels),
            decode(pixelDecode(sharp, source, { channels }), channels),
            decode(turnedAlpha(sharp, mask), 1),
          ]);
          const task = { ...size, channels, kept, drawn: area, alpha } as const;
          const data = await track(pool.run(task, signal, [kept, area, alpha]));
          const pixels = { ...size, channels, data: Buffer.from(data) } as const;
          const encode = () => pixelEncode(sharp, pixels, options).toBuffer();
          return step('encoded', pixels, encode, signal);
        },
        signal,
      );
    },
  };
}

type Plane = Omit<Pixels, 'channels'>;

/** Draws an image on the canvas as a PNG. The edge pixels of the image are repeated around the image. */
function canvasImage(sharp: SharpFactory, image: CheckedImage, canvas: Canvas): Sharp {
  const scaled = turnedSource(sharp, image).resize(areaSize(canvas));
  return encoded(scaled.extend({ ...margins(canvas), extendWith: 'copy' }), { format: 'png' });
}

/**
 * Draws the alpha of a mask on the canvas with two values. Alpha 255 becomes closed (255); every lower alpha becomes open (0).
 * The canvas outside the area is closed.
 */
function canvasAlpha(sharp: SharpFactory, alpha: Plane, canvas: Canvas): Sharp {
  const scaled = sharp(alpha.data, { raw: rawOf(alpha, 1) }).resize(areaSize(canvas));
  const whole = scaled.extend({ ...margins(canvas), background: '#ffffff' });
  return whole.threshold(255).toColourspace('b-w').raw();
}

/** Encodes an alpha plane as a PNG: as the alpha of a black image, or as a grey image that is white where the alpha is 0. */
export function maskImage(sharp: SharpFactory, alpha: Plane, form: 'alpha' | 'white'): Sharp {
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

export function rawOf({ width, height }: Edges, channels: Raw['channels']): Raw {
  return { width, height, channels };
}

/** Returns the area of a canvas in pixels of `image`, which shows the whole canvas in any size. Neither edge is 0. */
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
