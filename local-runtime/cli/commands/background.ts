import { extname, resolve } from 'node:path';
import type { Config } from '../../../lib/config/settings/settings.ts';
import type { ImageEngine, VerifiedImage } from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { findFlatBackground } from '../../../lib/images/matte/flat-background.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { saveFile } from '../../../lib/platform/durable-file.ts';
import { createTimeSlices } from '../../../lib/platform/time-slices.ts';
import type { Call } from '../command-table/command.ts';
import type { ConfigurationOptions } from '../command-table/options.ts';
import { fileReason, readWholeFile } from '../files.ts';
import { printable } from '../terminal.ts';
import { withConfig } from '../with-config.ts';

interface BackgroundOptions extends ConfigurationOptions {
  readonly output: string;
  readonly color: string | undefined;
  readonly force: boolean;
}

type Outcome =
  | { readonly ok: true; readonly bytes: Buffer; readonly color: string }
  /** The problem with the file, to be printed after its name. */
  | { readonly ok: false; readonly problem: string };

// The defaults of the contract. Generated images have the same defaults.
const MATTE = { transparentThreshold: 12, opaqueThreshold: 96, despill: true };
/** The maximum width and height of the image in which the background colour is detected. */
const SEARCH_EDGE_PX = 1024;
/** The minimum share of the border pixels that must have one colour for the background to count as flat. */
const MIN_SHARE = 0.5;
const ALPHA_FORMATS: Readonly<Record<string, 'png' | 'webp'>> = { '.png': 'png', '.webp': 'webp' };

export async function runBackground({
  args: { file },
  options,
  io,
}: Call<{ readonly file: string }, BackgroundOptions>): Promise<number> {
  const format = ALPHA_FORMATS[extname(options.output).toLowerCase()];
  const fail = (message: string, exitCode = 1) => {
    io.stderr(`image-bridge: ${message}\n`);
    return exitCode;
  };
  if (!format) {
    return fail('the output file must end in .png or .webp, which support transparency', 2);
  }
  return withConfig({ options, io }, async ({ images }) => {
    const bytes = await readWholeFile(resolve(io.cwd, file), images.max_encoded_bytes);
    if (typeof bytes === 'string') return fail(`${printable(file)} ${bytes}`);
    const outcome = await clearBackground(bytes, { format, color: options.color }, images);
    if (!outcome.ok) return fail(`${printable(file)} ${outcome.problem}`);
    const shown = printable(options.output);
    try {
      const path = resolve(io.cwd, options.output);
      const isSaved = await saveFile(path, outcome.bytes, { replaces: options.force });
      if (!isSaved) return fail(`${shown} already exists; use --force to overwrite the file`);
    } catch (error) {
      return fail(`${shown} cannot be written: ${fileReason(error)}`);
    }
    io.stdout(`${options.output}\n`);
    io.stderr(`Made the background ${outcome.color} transparent.\n`);
    return 0;
  });
}

interface Wanted {
  readonly format: 'png' | 'webp';
  readonly color: string | undefined;
}

async function clearBackground(
  bytes: Buffer,
  { format, color: given }: Wanted,
  limits: Config['images'],
): Promise<Outcome> {
  const slices = createTimeSlices(systemClock);
  const engine = createImageEngine({ limits, clock: systemClock, slices });
  const { signal } = new AbortController();
  try {
    const inspection = await engine.inspect(bytes, signal);
    if (!inspection.ok) return { ok: false, problem: `is not a valid image (${inspection.fault})` };
    const { image } = inspection;
    const color = given ?? (await findColor(image, engine, signal));
    if (color === undefined) {
      return { ok: false, problem: 'has no flat background; set its colour with --color' };
    }
    const cut = await engine.removeBackground(
      image,
      { ...MATTE, keyColor: color },
      { format },
      signal,
    );
    const result = await engine.inspect(cut, signal);
    // Succeeds only if a part of the image became transparent. An image with only one colour has no subject, and an image
    // without the given colour keeps its background.
    if (result.ok && result.image.alpha === 'some') return { ok: true, bytes: cut, color };
    const isEmpty = result.ok && result.image.alpha === 'empty';
    const problem = isEmpty
      ? `contains only ${color}`
      : `has no background with the colour ${color}`;
    return { ok: false, problem };
  } finally {
    await engine.close();
  }
}

async function findColor(
  image: VerifiedImage,
  engine: ImageEngine,
  signal: AbortSignal,
): Promise<string | undefined> {
  const resize = {
    width: Math.min(SEARCH_EDGE_PX, image.width),
    height: Math.min(SEARCH_EDGE_PX, image.height),
    fit: 'fill',
  } as const;
  const { color, share } = findFlatBackground(
    await engine.decode(image, { channels: 4, resize }, signal),
  );
  return share < MIN_SHARE ? undefined : color;
}
