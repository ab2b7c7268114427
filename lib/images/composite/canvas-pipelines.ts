import type { Raw, Sharp } from 'sharp';
import type { SharpFactory } from '../decode/load-sharp.ts';
import { encoded, turnedSource } from '../decode/sharp-pipelines.ts';
import type { Canvas, Pixels, VerifiedImage } from '../image.ts';
import { areaIn } from './area-in.ts';

type Plane = Omit<Pixels, 'channels'>;

/** 255 in a plane of alpha. */
const CLOSED = '#ffffff';

/** The image on the canvas as a PNG, its outermost pixels repeated around it. */
export function canvasImage(sharp: SharpFactory, image: VerifiedImage, canvas: Canvas): Sharp {
  const scaled = turnedSource(sharp, image).resize(areaSize(canvas));
  return encoded(scaled.extend({ ...margins(canvas), extendWith: 'copy' }), { format: 'png' });
}

/** The alpha of a mask on the canvas with two values: 255 stays closed, everything below it is open; closed around the area. */
export function canvasAlpha(sharp: SharpFactory, alpha: Plane, canvas: Canvas): Sharp {
  const scaled = sharp(alpha.data, { raw: rawOf(alpha, 1) }).resize(areaSize(canvas));
  const whole = scaled.extend({ ...margins(canvas), background: CLOSED });
  return whole.threshold(255).toColourspace('b-w').raw();
}

/** A PNG of a plane of alpha: as the alpha of a black image, or as grey that is white where the alpha is 0. */
export function maskImage(sharp: SharpFactory, alpha: Plane, form: 'alpha' | 'white'): Sharp {
  const { data, width, height } = alpha;
  if (form === 'white') {
    const grey = sharp(data, { raw: rawOf(alpha, 1) }).negate();
    return encoded(grey.toColourspace('b-w'), { format: 'png' });
  }
  const black = sharp(Buffer.alloc(width * height * 3), { raw: rawOf(alpha, 3) });
  return encoded(black.joinChannel(data, { raw: rawOf(alpha, 1) }), { format: 'png' });
}

/** What lies in the canvas's area of a drawn image, at exactly `size`, as raw pixels. */
export function drawnArea(
  sharp: SharpFactory,
  drawn: Pixels,
  canvas: Canvas,
  size: { readonly width: number; readonly height: number },
): Sharp {
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
