import { resolve } from 'node:path';
import type { ImageJob } from '../../lib/contract/resources/job.ts';
import type { Preset } from '../../lib/contract/resources/preset.ts';
import { followJob } from '../client/follow-job.ts';
import { type ImageFiles, type ImageOptions, toRequest } from '../client/image-request.ts';
import { reportJob } from '../client/job-outcome.ts';
import {
  isOfOtherFormat,
  type OutputPlace,
  STANDARD,
  toOutputPlace,
} from '../client/output-paths.ts';
import { startProgress } from '../client/progress.ts';
import { saveImages } from '../client/save-images.ts';
import type { Service } from '../client/service.ts';
import { submitJob } from '../client/submit-job.ts';
import { withService } from '../client/with-service.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import type { ServiceOption } from '../command-table/service-options.ts';
import { isTaken } from '../is-taken.ts';
import { readWholeFile } from '../read-file.ts';
import { printable } from '../terminal/printable.ts';

interface GenerateOptions extends ImageOptions, ServiceOption {
  readonly output: string | undefined;
  readonly reference: readonly string[];
  readonly preset: string | undefined;
  readonly force: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
}

interface Wanted {
  readonly prompt: string;
  readonly image?: string;
  readonly mask?: string | undefined;
}

// What a service takes at most by default; it names its own limit.
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_FILES_BYTES = 2 * MAX_FILE_BYTES;
// More than a service makes of one request.
const MOST_IMAGES = 1000;
const INTERRUPTED = 130;
// Far above what a service takes, which names its own limit.
const MAX_PROMPT_BYTES = 1024 * 1024;

/** `image-bridge generate`. Resolves to the exit code. */
export function runGenerate({
  args,
  options,
  io,
}: Call<{ readonly prompt: string }, GenerateOptions>): Promise<number> {
  return make({ prompt: args.prompt }, options, io);
}

/** `image-bridge edit`. Resolves to the exit code. */
export function runEdit({
  args: { file, prompt },
  options,
  io,
}: Call<
  { readonly file: string; readonly prompt: string },
  GenerateOptions & { readonly mask: string | undefined }
>): Promise<number> {
  return make({ prompt, image: file, mask: options.mask }, options, io);
}

async function make(wanted: Wanted, options: GenerateOptions, io: CommandIo): Promise<number> {
  const fail = (message: string, exitCode: number) => {
    io.stderr(`image-bridge: ${message}\n`);
    return exitCode;
  };
  const misuse = findMisuse(wanted, options, io);
  if (misuse !== undefined) return fail(misuse, 2);
  const place = toOutputPlace(options.output, io.cwd);
  const { format = place.format } = options;
  if (place.format !== undefined && format !== place.format) {
    return fail(`${options.output} is no name for ${format}, which --format asks for`, 2);
  }
  // Before anything is generated, and perhaps paid for.
  const taken = takenPath(place, options);
  if (taken !== undefined) {
    return fail(`${printable(taken)} exists already; --force replaces it`, 1);
  }
  const files = await readFiles(wanted, options, io);
  if (typeof files === 'string') return fail(files, 1);
  const prompt = await readPrompt(wanted, io);
  if (prompt === undefined) {
    return fail(`standard input is longer than ${MAX_PROMPT_BYTES} bytes`, 1);
  }
  return withService({ options, io }, async (service) => {
    const template = await findTemplate(service, options.preset);
    const body = toRequest(prompt, { ...options, format }, files, template);
    const { id } = await submitJob(service, body);
    const ended = await untilEnded(service, id, options, io);
    if (!ended) return INTERRUPTED;
    if (ended.status !== 'succeeded') return reportJob(ended, io);
    return saveImages(service, ended, { place, ...options }, io);
  });
}

/** Says what is wrong with the command line, before anything is read, sent or paid for. */
function findMisuse(
  { prompt, image }: Wanted,
  { output, count, json, webhook, webhookEvent }: GenerateOptions,
  { isTerminal }: CommandIo,
): string | undefined {
  if (webhook === undefined && webhookEvent.length > 0) return '--webhook-event needs --webhook';
  if (prompt === STANDARD && image === STANDARD) {
    return 'the image and the prompt cannot both come from standard input';
  }
  if (output !== undefined && isOfOtherFormat(output)) {
    return `${printable(output)} is no name for png, jpeg or webp`;
  }
  if (output !== STANDARD) return undefined;
  if ((count ?? 1) > 1) return '-o - writes one image; --count asks for more';
  if (json) return '-o - and --json both write to standard output';
  return isTerminal.stdout
    ? 'standard output is a terminal; send it to a file or a program, or leave out -o -'
    : undefined;
}

async function readPrompt({ prompt }: Wanted, io: CommandIo): Promise<string | undefined> {
  if (prompt !== STANDARD) return prompt;
  const text = (await io.readInput(MAX_PROMPT_BYTES))?.toString('utf8');
  // The line end that every editor and `echo` adds is no part of it.
  return text?.replace(/\r?\n$/, '');
}

/** The first path that is taken already. Without a name of its own an image gets a free one. */
function takenPath(
  place: OutputPlace,
  { output, count, force }: GenerateOptions,
): string | undefined {
  if (force || output === undefined || output === STANDARD) return undefined;
  if (place.format === undefined) return undefined;
  const total = Math.min(count ?? 1, MOST_IMAGES);
  const paths = Array.from({ length: total }, (_, index) =>
    place.pathOf({ name: '', index }, total),
  );
  return paths.find(isTaken);
}

async function readFiles(
  { image, mask }: Wanted,
  { reference }: GenerateOptions,
  { cwd, readInput }: CommandIo,
): Promise<ImageFiles | string> {
  const read = new Map<string, Buffer>();
  let total = 0;
  for (const name of [image, mask, ...reference]) {
    if (name === undefined) continue;
    const isInput = name === STANDARD && name === image;
    const bytes = isInput
      ? ((await readInput(MAX_FILE_BYTES)) ?? `is longer than ${MAX_FILE_BYTES} bytes`)
      : await readWholeFile(resolve(cwd, name), MAX_FILE_BYTES);
    if (typeof bytes === 'string')
      return `${isInput ? 'standard input' : printable(name)} ${bytes}`;
    total += bytes.length;
    if (total > MAX_FILES_BYTES) {
      return `the images together are longer than ${MAX_FILES_BYTES} bytes`;
    }
    read.set(name, bytes);
  }
  return {
    image: read.get(image ?? ''),
    mask: read.get(mask ?? ''),
    references: reference.flatMap((name) => read.get(name) ?? []),
  };
}

async function findTemplate(service: Service, name: string | undefined) {
  if (name === undefined) return undefined;
  const { template } = await service.json<Preset>(`/v1/presets/${encodeURIComponent(name)}`);
  return template;
}

/** The job as it has ended; undefined when a signal has cancelled it. */
async function untilEnded(
  service: Service,
  id: string,
  { quiet }: GenerateOptions,
  io: CommandIo,
): Promise<ImageJob | undefined> {
  const stopping = new AbortController();
  void io.untilStopped().then(() => stopping.abort());
  const progress = startProgress({ isQuiet: quiet }, io);
  try {
    return await followJob(service, id, progress.onEvent, stopping.signal).finally(progress.end);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    const path = `/v1/jobs/${encodeURIComponent(id)}`;
    const job = await service.json<ImageJob>(path, { method: 'DELETE' });
    // The signal came too late: what was made, and perhaps paid for, is not thrown away.
    if (job.status === 'succeeded' || job.status === 'failed') return job;
    io.stderr('image-bridge: the work was cancelled\n');
    return undefined;
  }
}
