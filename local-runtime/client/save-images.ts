import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import type { ImageResponse } from '../../lib/contract/reply/image-response.ts';
import type { ImageJob } from '../../lib/contract/resources/job.ts';
import type { CommandIo } from '../command-io.ts';
import { fileReason, saveFile } from '../save-file.ts';
import { printable } from '../terminal/printable.ts';
import { styled } from '../terminal/terminal.ts';
import { freePath, type OutputPlace } from './output-paths.ts';
import { printJson } from './print.ts';
import type { Service } from './service.ts';
import { ServiceError } from './service-error.ts';
import { imageProtocol, imageSequence } from './terminal-image.ts';

interface SaveOptions {
  readonly place: OutputPlace;
  readonly force: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
}

type Image = Extract<ImageResponse['data'][number], { type: 'artifact' }>;

/** As a service names images: a file of another name could be one that some program obeys. */
const IMAGE_NAME = /^[\w-][\w.-]*\.(png|jpe?g|webp)$/i;

/** The longest edge of an image in a terminal. */
const SHOWN_EDGE_PX = 512;

/** Writes the images of a job that has succeeded, and prints where. Resolves to the exit code. */
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

/** The path of the file; one that exists gets another name beside it, since the image is there already. */
async function saveImage(
  service: Service,
  image: Image,
  total: number,
  { force, place }: SaveOptions,
): Promise<string> {
  const { id, name } = image;
  const advice = [`The image is kept: image-bridge artifacts get ${id} -o FILE`];
  if (!IMAGE_NAME.test(basename(name))) {
    throw new ServiceError(`the artifact ${id} has a name that no image has`, 1, advice);
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
  throw new ServiceError(`the artifact ${id} arrived damaged`, 1);
}

/** Shows nothing where the terminal or the service cannot: the file is written. */
async function showImage(service: Service, { id }: Image, io: CommandIo): Promise<void> {
  const protocol = imageProtocol(io);
  if (protocol === undefined) return;
  const path = `/v1/artifacts/${encodeURIComponent(id)}/thumbnail?edge=${SHOWN_EDGE_PX}`;
  const thumbnail = await service.content(path).catch(() => undefined);
  if (thumbnail) io.stdout(imageSequence(thumbnail.bytes, protocol));
}

/** What a person should know of the result, on standard error. */
function printNotes(
  { data, model, timings, warnings, normalizations }: ImageResponse,
  io: CommandIo,
): void {
  const [first] = data;
  const size = first === undefined ? '' : `${first.width}x${first.height} ${first.format}, `;
  const facts = `${size}${model}, ${(timings.total_ms / 1000).toFixed(1)} s`;
  io.stderr(`${styled('dim', printable(facts), 'stderr', io)}\n`);
  for (const { field, reason } of normalizations) {
    io.stderr(`${styled('yellow', 'changed', 'stderr', io)} ${printable(`${field}: ${reason}`)}\n`);
  }
  for (const warning of warnings) {
    io.stderr(`${styled('yellow', 'warning', 'stderr', io)} ${printable(warning)}\n`);
  }
}
