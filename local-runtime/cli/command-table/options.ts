import { InvalidArgumentError } from 'commander';
import type { LoadOptions } from '../../../lib/config/load-config.ts';
import { parseAuthority } from '../../../lib/config/values/addresses.ts';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import type { ImageJobSummary, JobOrder, JobStatus } from '../../../lib/contract/resources/job.ts';
import type { Slot } from '../../gateway/coordination.ts';
import type { ListenAddress } from '../../server/listener/http-server.ts';
import type { CommandIo } from '../command-io.ts';
import type { OptionValues } from './command.ts';

// These lists are copies, because the modules with the originals load slowly and would delay `--help`. A test compares the
// copies with the originals.

export const OUTPUT_FORMATS = ['png', 'jpeg', 'webp'] as const satisfies readonly OutputFormat[];

export const JOB_ENDS = [
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const satisfies readonly JobStatus[];

export const JOB_STATUSES = ['queued', 'running', ...JOB_ENDS] as const;

export const JOB_ORDERS = ['newest', 'oldest'] as const satisfies readonly JobOrder[];

export const OPERATIONS = [
  'generate',
  'edit',
] as const satisfies readonly ImageJobSummary['operation'][];

export const SLOTS = ['blue', 'green'] as const satisfies readonly Slot[];

/** The options of all commands that read the configuration. */
export const CONFIGURATION = {
  config: { value: 'file', about: 'configuration file to use instead of ./image-bridge.toml' },
  set: { value: 'field=value', isRepeated: true, about: 'override one setting (can be repeated)' },
} as const;

export const JSON_OUTPUT = { json: { about: 'print JSON' } } as const;

/** The option of all commands that use a running service. */
export const SERVICE_OPTION = {
  url: { value: 'url', about: 'URL of the service (the token is in IMAGE_BRIDGE_TOKEN)' },
} as const;

/** The option of all commands that list items. */
export const LIMIT = {
  limit: {
    value: 'count',
    parse: parseWholeNumber,
    about: 'maximum number of items, up to 100 (default: 20)',
  },
} as const;

/** The option that orders the list of jobs. */
export const JOB_ORDER = {
  order: { value: 'order', choices: JOB_ORDERS, about: 'jobs to list first (default: newest)' },
} as const;

/** Returns the options that filter jobs. `selects` begins the help of each option, such as "show only jobs". */
function filters(selects: string) {
  return {
    search: { value: 'text', about: `${selects} whose prompt contains this text` },
    query: {
      value: 'query',
      about: `${selects} whose prompt matches these words: fox "red sky" -night`,
    },
    label: { value: 'text', about: `${selects} with this label` },
    group: { value: 'id', about: `${selects} of this group` },
    model: { value: 'model', about: `${selects} of this model` },
    size: {
      value: 'size',
      about: `${selects} whose first image has this size (1536x1024) or ratio (3:2)`,
    },
    operation: {
      value: 'operation',
      choices: OPERATIONS,
      about: `${selects} with this operation`,
    },
    after: {
      value: 'date',
      parse: parseDate,
      about: `${selects} accepted on this date (2026-11-28, in local time) or time, or later`,
    },
    before: {
      value: 'date',
      parse: parseDate,
      about: `${selects} accepted before this date or time`,
    },
  } as const;
}

/** The options that filter the list of jobs. */
export const JOB_FILTERS = {
  status: { value: 'status', choices: JOB_STATUSES, about: 'show only jobs with this status' },
  ...filters('show only jobs'),
  favorite: { about: 'show only favourites' },
  hidden: { about: 'show only hidden jobs' },
} as const;

/** The options that select the jobs of a batch. */
export const BATCH_FILTERS = {
  status: {
    value: 'status',
    choices: ['queued', 'running'],
    about: 'select jobs with this status (default: queued)',
  },
  ...filters('select jobs'),
} as const;

/** The labels of a job. */
export const LABELS = {
  label: { value: 'text', isRepeated: true, about: 'label of the job (can be repeated)' },
} as const;

/** The options of the commands that make images. */
export const IMAGE_OPTIONS = {
  output: {
    value: 'file',
    short: 'o',
    about: 'output file (the extension selects the format), folder, or - for standard output',
  },
  count: { value: 'count', short: 'n', parse: parseWholeNumber, about: 'number of images' },
  size: { value: 'WxH', about: 'width and height in pixels, such as 1024x1024' },
  quality: {
    value: 'quality',
    about: 'quality: low, medium, high or another quality that the model supports',
  },
  format: { value: 'format', choices: OUTPUT_FORMATS, about: 'image format' },
  background: {
    value: 'kind',
    choices: ['auto', 'opaque', 'transparent'],
    about: 'background of the image',
  },
  negative: { value: 'text', about: 'negative prompt: things that must not be in the image' },
  reference: { value: 'file', isRepeated: true, about: 'reference image (can be repeated)' },
  provider: { value: 'name', about: 'provider that makes the images' },
  model: { value: 'name', about: 'model that makes the images' },
  preset: { value: 'name', about: 'stored preset; the other options override the preset' },
  session: { value: 'key', about: 'start or continue the session with this key' },
  priority: {
    value: 'number',
    parse: parseSignedNumber,
    about: 'priority among your jobs, from -100 to 100; the highest is first (default: 0)',
  },
  ...LABELS,
  webhook: { value: 'url', about: 'send a webhook to this URL when the job ends' },
  webhookEvent: {
    value: 'event',
    choices: JOB_ENDS,
    isRepeated: true,
    about: 'send the webhook only if the job ends with this status',
  },
  timeout: { value: 'seconds', parse: parseWholeNumber, about: 'time limit of the job in seconds' },
  plan: { about: 'show the provider calls and their cost, and make no image' },
  force: { about: 'overwrite existing files' },
  quiet: { short: 'q', about: 'print only the paths of the images' },
} as const;

export type ConfigurationOptions = OptionValues<typeof CONFIGURATION>;
export type JsonOption = OptionValues<typeof JSON_OUTPUT>;
export type ServiceOption = OptionValues<typeof SERVICE_OPTION>;
export type ImageOptions = OptionValues<typeof IMAGE_OPTIONS>;

/** Returns the sources of the configuration of a command. */
export function toLoadOptions({ config, set }: ConfigurationOptions, io: CommandIo): LoadOptions {
  return { configFile: config, set, env: io.env, cwd: io.cwd };
}

export function parseWholeNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('The value must be a whole number of at least 1.');
}

export function parseSignedNumber(text: string): number {
  if (/^-?\d{1,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('The value must be a whole number.');
}

/** Parses a date, which begins in local time, or a date and time. Returns Unix seconds. */
export function parseDate(text: string): number {
  const startsWithDate = /^\d{4}-\d{2}-\d{2}/.test(text);
  // `Date.parse` would read a date without a time in UTC.
  const dateAndTime = text.length === 'yyyy-mm-dd'.length ? `${text}T00:00` : text;
  const ms = startsWithDate ? Date.parse(dateAndTime) : NaN;
  if (ms >= 0) return Math.floor(ms / 1000);
  throw new InvalidArgumentError(
    'The value must be a date such as 2026-11-28, or a date and time such as 2026-11-28T18:30.',
  );
}

export function parseListenAddress(text: string): ListenAddress {
  const { host, port } = parseAuthority(text) ?? {};
  if (host !== undefined && port !== undefined) return { host, port };
  throw new InvalidArgumentError('The value must be HOST:PORT, such as 127.0.0.1:8787.');
}

/** Parses an http or https URL without a path. Returns the URL without a slash at the end. */
export function parseOrigin(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) {
    const rest = `${url.pathname}${url.search}${url.hash}${url.username}${url.password}`;
    if (rest === '/') return url.origin;
  }
  throw new InvalidArgumentError(
    'The value must be an http or https URL without a path, such as http://127.0.0.1:8788.',
  );
}

export function parseColor(text: string): string {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text;
  throw new InvalidArgumentError('The value must have the form #RRGGBB.');
}
