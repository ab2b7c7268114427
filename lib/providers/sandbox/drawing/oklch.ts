import { clamp01 } from './ease.ts';

/** Gamma-coded sRGB, each 0 to 1. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** A colour in Oklab (Ottosson, 2020): lightness 0 to 1, then the green-red and the blue-yellow axis. */
export type Lab = readonly [lightness: number, a: number, b: number];

/** Lightness 0 to 1, chroma 0 to about 0.37, hue in degrees. */
export interface Lch {
  readonly lightness: number;
  readonly chroma: number;
  readonly hue: number;
}

export function toLab({ lightness, chroma, hue }: Lch): Lab {
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

export function toLch([lightness, a, b]: Lab): Lch {
  const hue = (Math.atan2(b, a) * 180) / Math.PI;
  return { lightness, chroma: Math.hypot(a, b), hue: (hue + 360) % 360 };
}

export function mixLab(from: Lab, to: Lab, share: number): Lab {
  return [
    from[0] + (to[0] - from[0]) * share,
    from[1] + (to[1] - from[1]) * share,
    from[2] + (to[2] - from[2]) * share,
  ];
}

/** Converts a colour to sRGB. A colour outside sRGB keeps its lightness and hue, and its chroma is reduced. */
export function labToRgb(lab: Lab): Rgb {
  let linear = toLinear(lab);
  let share = 1;
  while (!isShowable(linear) && share > 0) {
    share -= 0.05;
    linear = toLinear([lab[0], lab[1] * share, lab[2] * share]);
  }
  return [encode(linear[0]), encode(linear[1]), encode(linear[2])];
}

export function lchToRgb(color: Lch): Rgb {
  return labToRgb(toLab(color));
}

export function rgbToLab([red, green, blue]: Rgb): Lab {
  const r = decode(red);
  const g = decode(green);
  const b = decode(blue);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function toLinear([lightness, a, b]: Lab): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function isShowable(linear: Rgb): boolean {
  return linear.every((channel) => channel > -0.0005 && channel < 1.0005);
}

function encode(linear: number): number {
  const value = clamp01(linear);
  return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}

function decode(coded: number): number {
  return coded <= 0.04045 ? coded / 12.92 : ((coded + 0.055) / 1.055) ** 2.4;
}
