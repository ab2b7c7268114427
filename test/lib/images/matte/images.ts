import { createHash } from 'node:crypto';
import type { MatteTask } from '../../../../lib/images/matte/cut-out.ts';
import { cutOut } from '../../../../lib/images/matte/cut-out.ts';

type Values = readonly number[];

/** Draws an image pixel by pixel. A colour of three values is opaque. */
export function drawn(width: number, height: number, colorAt: (x: number, y: number) => Values) {
  const pixels = new Uint8Array(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    pixels.set(colorAt(pixel % width, Math.floor(pixel / width)), pixel * 4);
  }
  return { pixels, width, height };
}

export type Drawn = ReturnType<typeof drawn>;

/** Cuts out an image, with the default thresholds on green except for `changes`. */
export function cut({ pixels, width, height }: Drawn, changes: Partial<MatteTask> = {}): Drawn {
  const { buffer } = pixels.slice();
  const isDone = cutOut({
    data: buffer,
    width,
    height,
    key: [0, 255, 0],
    transparentThreshold: 12,
    opaqueThreshold: 96,
    despill: true,
    stop: new SharedArrayBuffer(4),
    ...changes,
  });
  if (!isDone) throw new Error('the matte stopped');
  return { pixels: new Uint8Array(buffer), width, height };
}

export function at({ pixels, width }: Drawn, x: number, y: number): number[] {
  return [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

export function checksum({ pixels }: Drawn): string {
  return createHash('sha256').update(pixels).digest('hex');
}

/** A ball with a soft edge and a hole on green, under reproducible noise. */
export function noisyBall(edge: number): Drawn {
  let state = 1;
  const noise = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 28) - 8;
  };
  const half = edge / 2;
  return drawn(edge, edge, (x, y) => {
    // `Math.hypot` is not used because its last bits differ between machines.
    const far = Math.sqrt((x - half) ** 2 + (y - half) ** 2);
    const cover = Math.min(Math.max(Math.min(half * 0.8 - far, far - half * 0.3) / 3, 0), 1);
    return [200 * cover, 255 - 165 * cover, 60 * cover].map((value) =>
      Math.min(Math.max(Math.round(value + noise()), 0), 255),
    );
  });
}
