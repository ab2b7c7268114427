import type { Sharp } from 'sharp';
import type { SharpFactory } from '../decode/load-sharp.ts';
import { encoded, pixelDecode } from '../decode/sharp-pipelines.ts';
import type { Edges, ImageTools, PixelArea, Pixels } from '../image.ts';
import type { ScopedWork } from '../image-work.ts';
import { maskImage, rawOf } from './composites.ts';

/** Creates the operations that crop images, extend images, and draw the masks of their new parts. */
export function createAreaTools({
  startRaw,
  step,
}: ScopedWork): Pick<ImageTools, 'cropOrExtend' | 'drawAreaMask'> {
  return {
    cropOrExtend(image, area, signal) {
      const place = async (sharp: SharpFactory) => {
        const channels = image.alpha === 'none' ? 3 : 4;
        const decode = () =>
          pixelDecode(sharp, image, { channels }).toBuffer({ resolveWithObject: true });
        const { data, info } = await step('decoded', image, decode, signal);
        const { width, height } = info;
        const draw = () => areaImage(sharp, { data, width, height, channels }, area).toBuffer();
        return step('drawn', area, draw, signal);
      };
      return startRaw(larger(image, area), place, signal);
    },

    drawAreaMask(image, area, signal) {
      const draw = async (sharp: SharpFactory) => {
        const alpha = () => areaAlpha(sharp, image, area).toBuffer();
        const { width, height } = area;
        const plane = { width, height, data: await step('drawn', area, alpha, signal) };
        return step('encoded', area, () => maskImage(sharp, plane, 'alpha').toBuffer(), signal);
      };
      return startRaw(area, draw, signal);
    },
  };
}

function larger(one: Edges, other: Edges): Edges {
  return one.width * one.height > other.width * other.height ? one : other;
}

/** Returns the part of the area in the image, and the margins of the area beyond its edges. */
function splitArea(image: Edges, { x, y, width, height }: PixelArea) {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const [right, bottom] = [Math.min(image.width, x + width), Math.min(image.height, y + height)];
  return {
    inner: { left, top, width: right - left, height: bottom - top },
    beyond: { left: left - x, top: top - y, right: x + width - right, bottom: y + height - bottom },
  };
}

function areaImage(sharp: SharpFactory, pixels: Pixels, area: PixelArea): Sharp {
  const { data, channels } = pixels;
  const { inner, beyond } = splitArea(pixels, area);
  const part = sharp(data, { raw: rawOf(pixels, channels) }).extract(inner);
  return encoded(part.extend({ ...beyond, extendWith: 'copy' }), { format: 'png' });
}

/** Draws an alpha plane that is 255 over the image and 0 beyond its edges. */
function areaAlpha(sharp: SharpFactory, image: Edges, area: PixelArea): Sharp {
  const { inner, beyond } = splitArea(image, area);
  const closed = Buffer.alloc(inner.width * inner.height, 255);
  const whole = sharp(closed, { raw: rawOf(inner, 1) }).extend({
    ...beyond,
    background: '#000000',
  });
  return whole.toColourspace('b-w').raw();
}
