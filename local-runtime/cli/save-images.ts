import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import type { ImageResponse } from '../../lib/contract/reply/image-response.ts';
import type { Provenance } from '../../lib/contract/reply/provenance.ts';
import type { OutputFormat } from '../../lib/contract/request/parameters.ts';
import type { ImageJob } from '../../lib/contract/resources/job.ts';
import { saveFile } from '../../lib/platform/durable-file.ts';
import type { Service } from '../client/service.ts';
import { ServiceError } from '../client/service-error.ts';
import type { CommandIo } from './command-io.ts';
import type { ImageOptions, JsonOption } from './command-table/options.ts';
import { fileReason, isTaken } from './files.ts';
import { printJson } from './print.ts';
import { printable, styled } from './terminal.ts';

export interface SaveOptions extends Pick<ImageOptions & JsonOption, 'force' | 'quiet' | 'json'> {
  readonly place: OutputPlace;
}

type Image = Extract<ImageResponse['data'][number], { type: 'artifact' }>;

/**
 * Matches the file names that a service chooses for images. Other names are rejected, because a file with another name might
 * be read or executed by a program.
 */
const IMAGE_NAME = /^[\w-][\w.-]*\.(png|jpe?g|webp)$/i;

/** The maximum width and height of an image in a terminal. */
const SHOWN_EDGE_PX = 512;

/** Writes the images of a succeeded job and prints their paths. Resolves with the exit code. */
export async function saveImages(
  service: Service,
  { id, result }: ImageJob,
  options: SaveOptions,
  io: CommandIo,
): Promise<number> {
  if (!result) throw new ServiceError(`the job ${id} has no result`, 1);
  const images = result.data.filter((image) => image.type === 'artifact');
  if (options.place.isStandard) {
    for (const image of images) io.writeBytes(await readImage(service, image));
    if (!options.quiet) printNotes(result, io);
    return 0;
  }
  const files: object[] = [];
  for (const image of images) {
    const total = images.length + (result.failures?.length ?? 0);
    const path = await saveImage(service, image, total, options);
    const shown = relative(io.cwd, path) || path;
    const { width, height, format, bytes, sha256 } = image;
    files.push({ path, width, height, format, bytes, sha256, artifact: image.id });
    if (options.json) continue;
    io.stdout(`${printable(shown)}\n`);
    if (!options.quiet) await showImage(service, image, io);
  }
  if (options.json) {
    const { warnings, normalizations, provider, model } = result;
    printJson({ job: id, provider, model, files, warnings, normalizations }, io);
  } else if (!options.quiet) printNotes(result, io);
  for (const { index, error } of result.failures ?? []) {
    io.stderr(`image-bridge: ${printable(`image ${index + 1} failed: ${error.message}`)}\n`);
  }
  return result.failures?.length ? 1 : 0;
}

/**
 * Writes an image and resolves with its path. If the file exists, saves the image under an unused name, because the image
 * has already been made and must not be lost.
 */
async function saveImage(
  service: Service,
  image: Image,
  total: number,
  { force, place }: SaveOptions,
): Promise<string> {
  const { id, name } = image;
  const advice = [`The service keeps the image: image-bridge artifacts get ${id} -o FILE`];
  if (!IMAGE_NAME.test(basename(name))) {
    throw new ServiceError(`the artifact ${id} has an invalid file name`, 1, advice);
  }
  const path = place.pathOf(image, total);
  const bytes = await readImage(service, image);
  try {
    await mkdir(dirname(path), { recursive: true });
    for (;;) {
      const free = force ? path : freePath(path);
      if (await saveFile(free, bytes, { replaces: force })) return free;
    }
  } catch (error) {
    throw new ServiceError(`${path} cannot be written: ${fileReason(error)}`, 1, advice);
  }
}

async function readImage(service: Service, { id, sha256 }: Image): Promise<Uint8Array> {
  const { bytes } = await service.content(`/v1/artifacts/${encodeURIComponent(id)}`);
  if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
  throw new ServiceError(`the artifact ${id} was damaged in transfer`, 1);
}

/**
 * Shows an image if the terminal can show images and the service has previews. Ignores failures, because the file has been
 * written.
 */
async function showImage(service: Service, { id }: Image, io: CommandIo): Promise<void> {
  const protocol = imageProtocol(io);
  if (protocol === undefined) return;
  const path = `/v1/artifacts/${encodeURIComponent(id)}/thumbnail?edge=${SHOWN_EDGE_PX}`;
  const thumbnail = await service.content(path).catch(() => undefined);
  if (thumbnail) io.stdout(imageSequence(thumbnail.bytes, protocol));
}

/** Prints the facts, changes and warnings of the result to standard error. */
function printNotes(
  { data, model, timings, warnings, normalizations }: ImageResponse,
  io: CommandIo,
): void {
  const [first] = data;
  const size = first === undefined ? '' : `${first.width}x${first.height} ${first.format}, `;
  const facts = `${size}${model}, ${(timings.total_ms / 1000).toFixed(1)} s`;
  io.stderr(`${styled('dim', printable(facts), 'stderr', io)}\n`);
  for (const { index, provenance } of data) {
    if (provenance === undefined || provenance.credentials === 'none') continue;
    const text = `credentials of image ${index + 1}: ${toCredentialText(provenance)}`;
    io.stderr(`${styled('dim', printable(text), 'stderr', io)}\n`);
  }
  for (const { field, reason } of normalizations) {
    io.stderr(`${styled('yellow', 'changed', 'stderr', io)} ${printable(`${field}: ${reason}`)}\n`);
  }
  for (const warning of warnings) {
    io.stderr(`${styled('yellow', 'warning', 'stderr', io)} ${printable(warning)}\n`);
  }
}

function toCredentialText({ credentials, reason, found, signer }: Provenance): string {
  const outcome = reason === undefined ? credentials : `${credentials} (${reason})`;
  return `${outcome}, found ${found}${signer === undefined ? '' : `, signed by ${signer}`}`;
}

/** The file name that stands for standard output or standard input. */
export const STANDARD = '-';

/** The destination of images. */
export interface OutputPlace {
  /** The format that belongs to the extension of the file. Undefined if the extension is unknown. */
  readonly format: OutputFormat | undefined;
  /** Returns the path for one of `count` images. `name` is the name of the artifact. */
  pathOf(image: { readonly name: string; readonly index: number }, count: number): string;
  /** True if the image is written to standard output. */
  readonly isStandard: boolean;
}

const FORMATS: Readonly<Record<string, OutputFormat>> = {
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
};

/** The extensions of image formats that services do not make. No image is written with such an extension. */
const OTHER_FORMATS = /\.(avif|bmp|gif|hei[cf]|ico|jp2|jxl|pdf|psd|raw|svg|tga|tiff?)$/i;

/**
 * Returns the destination for `output`. If `output` exists as a folder or ends in a slash, the destination is a folder. If
 * `output` is undefined, the destination is the folder `cwd`.
 */
export function toOutputPlace(output: string | undefined, cwd: string): OutputPlace {
  const path = resolve(cwd, output ?? '');
  if (output === undefined || output.endsWith('/') || isFolder(path)) {
    const pathOf = ({ name }: { readonly name: string }) => join(path, basename(name));
    return { format: undefined, pathOf, isStandard: false };
  }
  const extension = extname(path);
  const format = FORMATS[extension.toLowerCase()];
  const stem = format === undefined ? path : path.slice(0, -extension.length);
  return {
    format,
    isStandard: output === STANDARD,
    pathOf({ name, index }, count) {
      const end = format === undefined ? extname(name) : extension;
      return count === 1 ? `${stem}${end}` : `${stem}-${index + 1}${end}`;
    },
  };
}

/** Returns the error for an output to which one image cannot be written, or undefined if there is no error. */
export function findOutputMisuse(
  { output, json }: Pick<ImageOptions & JsonOption, 'output' | 'json'>,
  { isTerminal }: Pick<CommandIo, 'isTerminal'>,
): string | undefined {
  if (output !== undefined && OTHER_FORMATS.test(output)) {
    return `the extension of ${printable(output)} is not supported: use .png, .jpg or .webp`;
  }
  if (output !== STANDARD) return undefined;
  if (json) return '-o - cannot be combined with --json: both write to standard output';
  return isTerminal.stdout
    ? 'standard output is a terminal; redirect it to a file or a program, or omit -o -'
    : undefined;
}

/**
 * Returns the first path of `count` images that already exists. Images without a given file name receive an unused name later.
 * Returns undefined if no path exists.
 */
export function takenPath(place: OutputPlace, count: number): string | undefined {
  if (place.format === undefined) return undefined;
  const paths = Array.from({ length: count }, (_, index) =>
    place.pathOf({ name: '', index }, count),
  );
  return paths.find(isTaken);
}

/** Returns the path, with a number added if the path exists. */
function freePath(path: string): string {
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  let free = path;
  for (let number = 2; isTaken(free); number += 1) free = `${stem}-${number}${extension}`;
  return free;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

type Protocol = 'kitty' | 'iterm2';

/** The maximum number of base64 characters in one escape sequence of kitty. */
const CHUNK_CHARS = 4096;

/** The image protocol of each terminal program, by the value of `TERM_PROGRAM`. */
const PROGRAMS: Readonly<Record<string, Protocol>> = {
  ghostty: 'kitty',
  kitty: 'kitty',
  'iTerm.app': 'iterm2',
  WezTerm: 'iterm2',
  mintty: 'iterm2',
};

/** Returns the image protocol of the terminal. Undefined if standard output is not a terminal or if the terminal has no protocol. */
function imageProtocol({ env, isTerminal }: CommandIo): Protocol | undefined {
  // Terminal multiplexers do not pass images through by default.
  if (!isTerminal.stdout || env['TMUX'] || /^(screen|tmux|dumb)/.test(env['TERM'] ?? '')) {
    return undefined;
  }
  if (env['KITTY_WINDOW_ID'] || env['TERM'] === 'xterm-kitty') return 'kitty';
  return (
    PROGRAMS[env['TERM_PROGRAM'] ?? ''] ??
    PROGRAMS[env['LC_TERMINAL'] === 'iTerm2' ? 'iTerm.app' : '']
  );
}

/**
 * Returns the escape sequence that shows a PNG at the cursor. The protocols:
 * https://sw.kovidgoyal.net/kitty/graphics-protocol, https://iterm2.com/documentation-images.html.
 */
function imageSequence(png: Buffer, protocol: Protocol): string {
  const base64 = png.toString('base64');
  if (protocol === 'iterm2')
    return `\u001b]1337;File=inline=1;size=${png.length}:${base64}\u0007\n`;
  const chunks = base64.match(new RegExp(`.{1,${CHUNK_CHARS}}`, 'g')) ?? [];
  return `${chunks
    .map((chunk, at) => {
      const first = at === 0 ? 'a=T,f=100,' : '';
      return `\u001b_G${first}m=${at < chunks.length - 1 ? 1 : 0};${chunk}\u001b\\`;
    })
    .join('')}\n`;
}
