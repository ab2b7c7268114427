export type Color = readonly [red: number, green: number, blue: number];

/** Returns the signed distance of a point in pixels, above 0 inside the shape. */
export type Shape = (x: number, y: number) => number;

export type Canvas = ReturnType<typeof createCanvas>;

/** A transparent square to paint on. Edges are one pixel soft. Colours are 0 to 255. */
export function createCanvas(edge: number) {
  // Premultiplied, so that painting over is a single multiplication.
  const values = new Float32Array(edge * edge * 4);

  function blend(x: number, y: number, [red, green, blue]: Color, alpha: number): void {
    const at = (y * edge + x) * 4;
    const rest = 1 - alpha;
    values[at] = red * alpha + (values[at] ?? 0) * rest;
    values[at + 1] = green * alpha + (values[at + 1] ?? 0) * rest;
    values[at + 2] = blue * alpha + (values[at + 2] ?? 0) * rest;
    values[at + 3] = alpha + (values[at + 3] ?? 0) * rest;
  }

  return {
    edge,
    /** Returns colour and opacity of each pixel. */
    fill(
      shape: Shape,
      color: Color | ((x: number, y: number) => Color),
      opacity: number | ((x: number, y: number) => number) = 1,
    ): void {
      for (let y = 0; y < edge; y += 1) {
        for (let x = 0; x < edge; x += 1) {
          const cover = clamp(shape(x + 0.5, y + 0.5) + 0.5, 0, 1);
          if (cover === 0) continue;
          const alpha = typeof opacity === 'number' ? opacity : opacity(x, y);
          blend(x, y, typeof color === 'function' ? color(x, y) : color, cover * alpha);
        }
      }
    },

    line(from: readonly number[], to: readonly number[], width: number, color: Color, alpha = 1) {
      const [x0 = 0, y0 = 0] = from;
      const [x1 = 0, y1 = 0] = to;
      const reach = width / 2 + 1;
      const end = (one: number, other: number) =>
        clamp(Math.ceil(Math.max(one, other) + reach), 0, edge);
      const start = (one: number, other: number) =>
        clamp(Math.floor(Math.min(one, other) - reach), 0, edge);
      const shape = capsule([x0, y0], [x1, y1], width);
      for (let y = start(y0, y1); y < end(y0, y1); y += 1) {
        for (let x = start(x0, x1); x < end(x0, x1); x += 1) {
          const cover = clamp(shape(x + 0.5, y + 0.5) + 0.5, 0, 1);
          if (cover > 0) blend(x, y, color, cover * alpha);
        }
      }
    },

    /** Returns the image on a flat colour, with noise of this amplitude (0 to 255), as from a camera. */
    over([red, green, blue]: Color, noise: number, random: () => number): Buffer {
      const bytes = Buffer.alloc(edge * edge * 3);
      for (let pixel = 0; pixel < edge * edge; pixel += 1) {
        const rest = 1 - (values[pixel * 4 + 3] ?? 0);
        for (const [channel, ground] of [red, green, blue].entries()) {
          const value = (values[pixel * 4 + channel] ?? 0) + ground * rest;
          const grain = (random() + random() - 1) * noise;
          bytes[pixel * 3 + channel] = Math.round(clamp(value + grain, 0, 255));
        }
      }
      return bytes;
    },
  };
}

export function disc(x0: number, y0: number, radius: number): Shape {
  return (x, y) => radius - Math.hypot(x - x0, y - y0);
}

export function ring(x0: number, y0: number, radius: number, width: number): Shape {
  return (x, y) => width / 2 - Math.abs(Math.hypot(x - x0, y - y0) - radius);
}

/** A line with round ends. */
export function capsule(from: readonly number[], to: readonly number[], width: number): Shape {
  const [x0 = 0, y0 = 0] = from;
  const [x1 = 0, y1 = 0] = to;
  const length = (x1 - x0) ** 2 + (y1 - y0) ** 2 || 1;
  return (x, y) => {
    const share = clamp(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length, 0, 1);
    return width / 2 - Math.hypot(x - x0 - share * (x1 - x0), y - y0 - share * (y1 - y0));
  };
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

export function mix(one: Color, other: Color, share: number): Color {
  const at = (channel: 0 | 1 | 2) => one[channel] + (other[channel] - one[channel]) * share;
  return [at(0), at(1), at(2)];
}

/** Returns reproducible numbers from 0 to 1, exclusive (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns smooth noise from 0 to 1, with structures of `size` pixels and smaller. */
export function createClouds(seed: number, size: number): (x: number, y: number) => number {
  const random = createRandom(seed);
  const lattice = Float32Array.from({ length: 64 * 64 }, random);
  const smooth = (share: number) => share * share * (3 - 2 * share);
  const octave = (x: number, y: number) => {
    const [column, row] = [Math.floor(x), Math.floor(y)];
    const at = (dx: number, dy: number) =>
      lattice[(((row + dy) & 63) << 6) | ((column + dx) & 63)] ?? 0;
    const [u, v] = [smooth(x - column), smooth(y - row)];
    const top = at(0, 0) + (at(1, 0) - at(0, 0)) * u;
    const bottom = at(0, 1) + (at(1, 1) - at(0, 1)) * u;
    return top + (bottom - top) * v;
  };
  return (x, y) =>
    (octave(x / size, y / size) * 8 +
      octave((x * 2) / size + 9, (y * 2) / size) * 4 +
      octave((x * 4) / size, (y * 4) / size + 7) * 2 +
      octave((x * 8) / size + 3, (y * 8) / size)) /
    15;
}
