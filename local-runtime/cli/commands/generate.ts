import { resolve } from 'node:path';
import type { Preset, PresetTemplate } from '../../../lib/contract/resources/preset.ts';
import { type RequestBody, submitJob } from '../../client/jobs.ts';
import type { Service } from '../../client/service.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import type { ImageOptions, JsonOption, ServiceOption } from '../command-table/options.ts';
import { readWholeFile } from '../files.ts';
import { findOutputMisuse, STANDARD, takenPath, toOutputPlace } from '../save-images.ts';
import { saveWhenEnded } from '../save-when-ended.ts';
import { showPlan } from '../show-plan.ts';
import { printable } from '../terminal.ts';
import { withService } from '../with-service.ts';

type GenerateOptions = ImageOptions & ServiceOption & JsonOption;

/** The arguments of the commands, and the option `--mask` of `edit`. */
interface Wanted {
  readonly prompt: string;
  /** The file to edit. Undefined for `generate`. */
  readonly image?: string;
  readonly mask?: string | undefined;
}

// Twice the default limits of a service. The service enforces its own limits.
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_FILES_BYTES = 2 * MAX_FILE_BYTES;
// Higher than the maximum number of images that a service makes for one request.
const MAX_IMAGES = 1000;
// Far above the limit of a service. The service enforces its own limit.
const MAX_PROMPT_BYTES = 1024 * 1024;

export function runGenerate({
  args,
  options,
  io,
}: Call<{ readonly prompt: string }, GenerateOptions>): Promise<number> {
  return make({ prompt: args.prompt }, options, io);
}

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
    return fail(`the extension of ${options.output} does not match --format ${format}`, 2);
  }
  return withService({ options, io }, async (service) => {
    const template = await findTemplate(service, options.preset);
    // Checked before anything is generated and possibly charged.
    const count = options.count ?? template?.parameters.n ?? 1;
    if (place.isStandard && count > 1) {
      return fail(`-o - writes only one image, but the request is for ${count}`, 2);
    }
    const isChecked = !options.plan && !options.force;
    const taken = isChecked ? takenPath(place, Math.min(count, MAX_IMAGES)) : undefined;
    if (taken !== undefined) {
      return fail(`${printable(taken)} already exists; use --force to overwrite the file`, 1);
    }
    const files = await readFiles(wanted, options, io);
    if (typeof files === 'string') return fail(files, 1);
    const prompt = await readPrompt(wanted, io);
    if (prompt === undefined) {
      return fail(`standard input is longer than ${MAX_PROMPT_BYTES} bytes`, 1);
    }
    const body = toRequest(prompt, { ...options, format }, files, template);
    if (options.plan) return showPlan(service, body, options, io);
    const { id } = await submitJob(service, body);
    return saveWhenEnded(service, id, { place, ...options }, io);
  });
}

/**
 * Returns the error for an invalid combination of options, or undefined if there is no error. Called before anything is
 * read or sent.
 */
function findMisuse(
  { prompt, image }: Wanted,
  options: GenerateOptions,
  io: CommandIo,
): string | undefined {
  const { webhook, webhookEvent } = options;
  if (webhook === undefined && webhookEvent.length > 0) return '--webhook-event requires --webhook';
  if (prompt === STANDARD && image === STANDARD) {
    return 'the image and the prompt cannot both come from standard input';
  }
  return findOutputMisuse(options, io);
}

async function readPrompt({ prompt }: Wanted, io: CommandIo): Promise<string | undefined> {
  if (prompt !== STANDARD) return prompt;
  const text = (await io.readInput(MAX_PROMPT_BYTES))?.toString('utf8');
  // Removes the line break that editors and `echo` add.
  return text?.replace(/\r?\n$/, '');
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
    if (total > MAX_FILES_BYTES) return `the images exceed ${MAX_FILES_BYTES} bytes in total`;
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

/** The contents of the files of a request. */
interface ImageFiles {
  readonly image: Buffer | undefined;
  readonly mask: Buffer | undefined;
  readonly references: readonly Buffer[];
}

/**
 * Returns the request for a command line: the preset with the values of the options, which override the preset. The service
 * validates the request.
 */
function toRequest(
  prompt: string,
  options: ImageOptions,
  { image, mask, references }: ImageFiles,
  template: PresetTemplate | undefined,
): RequestBody {
  const { count, size, quality, format, background, provider, model } = options;
  const { session, timeout, priority, label, webhook, webhookEvent } = options;
  return {
    ...template,
    prompt,
    operation: image === undefined ? 'generate' : 'edit',
    ...named({
      images: image && [toInput(image)],
      mask: mask && toInput(mask),
      reference_images: references.length === 0 ? undefined : references.map(toInput),
      negative_prompt: options.negative,
      timeout_ms: timeout && timeout * 1000,
      priority,
      labels: label.length === 0 ? undefined : [...label],
      webhook: webhook === undefined ? undefined : toWebhook(webhook, webhookEvent),
      session: session === undefined ? undefined : ({ mode: 'persistent', key: session } as const),
    }),
    parameters: {
      ...template?.parameters,
      ...named({ n: count, size, output_format: format, background }),
      // The service checks whether the model supports the quality.
      ...named({ quality: quality as 'auto' | undefined }),
    },
    routing: { ...template?.routing, ...named({ provider, model }) },
  };
}

function toWebhook(url: string, events: ImageOptions['webhookEvent']): RequestBody['webhook'] {
  return events.length === 0 ? { url } : { url, events: [...events] };
}

function toInput(bytes: Buffer): { readonly type: 'base64'; readonly data: string } {
  return { type: 'base64', data: bytes.toString('base64') };
}

/** Returns the fields whose value is not undefined. */
function named<const T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // `Object.entries` loses the type of the keys.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
