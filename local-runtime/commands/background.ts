import { extname, resolve } from 'node:path';
import { loadConfig } from '../../lib/config/load-config.ts';
import { problemLine } from '../../lib/config/problem.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import type { ImageEngine, VerifiedImage } from '../../lib/images/image.ts';
import { createImageEngine } from '../../lib/images/image-engine.ts';
import { findFlatBackground } from '../../lib/images/matte/flat-background.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { createTimeSlices } from '../../lib/platform/time-slices.ts';
import type { Call } from '../command-table/command.ts';
import {
  type ConfigurationOptions,
  toLoadOptions,
} from '../command-table/configuration-options.ts';
import { readWholeFile } from '../read-file.ts';
import { fileReason, saveFile } from '../save-file.ts';
import { printable } from '../terminal/printable.ts';

interface BackgroundOptions extends ConfigurationOptions {
  readonly output: string;
  readonly color: string | undefined;
  readonly force: boolean;
}

type Outcome =
  | { readonly ok: true; readonly bytes: Buffer; readonly color: string }
  /** What is wrong with the file, as the end of a sentence that its name begins. */
  | { readonly ok: false; readonly problem: string };

// The defaults of the contract, which a generated image has too.
const MATTE = { transparentThreshold: 12, opaqueThreshold: 96, despill: true };
/** The border is found in an image of at most these edges. */
const SEARCH_EDGE_PX = 1024;
/** Less of the border than this in one colour is no flat background. */
const LEAST_SHARE = 0.5;
const ALPHA_FORMATS: Readonly<Record<string, 'png' | 'webp'>> = { '.png': 'png', '.webp': 'webp' };

/** `image-bridge background`. Resolves to the exit code. */
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
  if (!format) return fail('the output must be named .png or .webp, which have transparency', 2);
  const loaded = await loadConfig(toLoadOptions(options, io));
  if (!loaded.ok) return fail(loaded.errors.map(problemLine).join('\n'), 2);
  const { images } = loaded.config;
  const bytes = await readWholeFile(resolve(io.cwd, file), images.max_encoded_bytes);
  if (typeof bytes === 'string') return fail(`${printable(file)} ${bytes}`);
  const outcome = await clearBackground(bytes, { format, color: options.color }, images);
  if (!outcome.ok) return fail(`${printable(file)} ${outcome.problem}`);
  try {
    const path = resolve(io.cwd, options.output);
    if (!(await saveFile(path, outcome.bytes, { replaces: options.force }))) {
      return fail(`${printable(options.output)} exists already; --force replaces it`);
    }
  } catch (error) {
    return fail(`${printable(options.output)} cannot be written: ${fileReason(error)}`);
  }
  io.stdout(`${options.output}\n`);
  io.stderr(`The background ${outcome.color} is transparent now.\n`);
  return 0;
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
    if (!inspection.ok) return { ok: false, problem: `is no valid image (${inspection.fault})` };
    const { image } = inspection;
    const color = given ?? (await findColor(image, engine, signal));
    if (color === undefined) {
      return { ok: false, problem: 'has no flat background; --color names one' };
    }
    const cut = await engine.removeBackground(
      image,
      { ...MATTE, keyColor: color },
      { format },
      signal,
    );
    const result = await engine.inspect(cut, signal);
    // An image of one colour alone has no subject; one without the given colour keeps its background.
    if (result.ok && result.image.alpha === 'some') return { ok: true, bytes: cut, color };
    const isEmpty = result.ok && result.image.alpha === 'empty';
    const problem = isEmpty ? `is ${color} all over` : `has no background of the colour ${color}`;
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
  return share < LEAST_SHARE ? undefined : color;
}
