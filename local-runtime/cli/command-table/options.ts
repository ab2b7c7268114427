import { InvalidArgumentError } from 'commander';
import type { LoadOptions } from '../../../lib/config/load-config.ts';
import { parseAuthority } from '../../../lib/config/values/addresses.ts';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import type { JobStatus } from '../../../lib/contract/resources/job.ts';
import type { Slot } from '../../gateway/coordination.ts';
import type { ListenAddress } from '../../server/listener/http-server.ts';
import type { CommandIo } from '../command-io.ts';
import type { OptionValues } from './command.ts';

// Copies of lists in modules that would take longer to load than everything else that `--help` loads. A test compares the
// copies with the lists.

export const OUTPUT_FORMATS = ['png', 'jpeg', 'webp'] as const satisfies readonly OutputFormat[];

export const JOB_ENDS = [
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const satisfies readonly JobStatus[];

export const JOB_STATUSES = ['queued', 'running', ...JOB_ENDS] as const;

export const SLOTS = ['blue', 'green'] as const satisfies readonly Slot[];

/** The options of all commands that read the configuration. */
export const CONFIGURATION = {
  config: { value: 'file', about: 'the configuration file instead of ./image-bridge.toml' },
  set: { value: 'field=value', isRepeated: true, about: 'override one setting' },
} as const;

export const JSON_OUTPUT = { json: { about: 'print JSON' } } as const;

/** The option of all commands that use a running service. */
export const SERVICE_OPTION = {
  url: { value: 'url', about: 'the URL of the service; its token is in IMAGE_BRIDGE_TOKEN' },
} as const;

/** The option of all commands that list items. */
export const LIMIT = {
  limit: {
    value: 'count',
    parse: parseWholeNumber,
    about: 'number of items, at most 100 (default: 20)',
  },
} as const;

/** The options that select jobs. */
export const JOB_FILTERS = {
  status: { value: 'status', choices: JOB_STATUSES, about: 'filter by status' },
  search: { value: 'text', about: 'filter by text in the prompt' },
  query: {
    value: 'query',
    about: 'filter by words of the prompt in any order: fox "red sky" -night',
  },
  favorite: { about: 'show only favourites' },
  hidden: { about: 'show only hidden jobs' },
} as const;

/** The options of the commands that make images. */
export const IMAGE_OPTIONS = {
  output: {
    value: 'file',
    short: 'o',
    about: 'output file (its name sets the format), folder, or - for standard output',
  },
  count: { value: 'count', short: 'n', parse: parseWholeNumber, about: 'number of images' },
  size: { value: 'WxH', about: 'width and height in pixels' },
  quality: { value: 'quality', about: 'low, medium, high or another quality of the model' },
  format: { value: 'format', choices: OUTPUT_FORMATS, about: 'image format' },
  background: {
    value: 'kind',
    choices: ['auto', 'opaque', 'transparent'],
    about: 'background of the image',
  },
  negative: { value: 'text', about: 'negative prompt: what the image must not show' },
  reference: { value: 'file', isRepeated: true, about: 'reference image' },
  provider: { value: 'name', about: 'provider' },
  model: { value: 'name', about: 'model' },
  preset: { value: 'name', about: 'stored preset; other options override it' },
  session: { value: 'key', about: 'start or continue the session with this key' },
  priority: {
    value: 'number',
    parse: parseSignedNumber,
    about: 'priority among your jobs, -100 to 100, highest first (default: 0)',
  },
  webhook: { value: 'url', about: 'send a webhook to this URL when the job ends' },
  webhookEvent: {
    value: 'event',
    choices: JOB_ENDS,
    isRepeated: true,
    about: 'send only for this status',
  },
  timeout: { value: 'seconds', parse: parseWholeNumber, about: 'time limit of the job' },
  force: { about: 'overwrite existing files' },
  quiet: { short: 'q', about: 'print only the paths' },
} as const;

export type ConfigurationOptions = OptionValues<typeof CONFIGURATION>;
export type JsonOption = OptionValues<typeof JSON_OUTPUT>;
export type ServiceOption = OptionValues<typeof SERVICE_OPTION>;
export type LimitOption = OptionValues<typeof LIMIT>;
export type JobFilters = OptionValues<typeof JOB_FILTERS>;
export type ImageOptions = OptionValues<typeof IMAGE_OPTIONS>;

/** Returns the sources of the configuration of a command. */
export function toLoadOptions({ config, set }: ConfigurationOptions, io: CommandIo): LoadOptions {
  return { configFile: config, set, env: io.env, cwd: io.cwd };
}

export function parseWholeNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

export function parseSignedNumber(text: string): number {
  if (/^-?\d{1,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

export function parseListenAddress(text: string): ListenAddress {
  const { host, port } = parseAuthority(text) ?? {};
  if (host !== undefined && port !== undefined) return { host, port };
  throw new InvalidArgumentError('It must be HOST:PORT, such as 127.0.0.1:8787.');
}

/** Parses an http or https URL without a path. Returns it without a trailing slash. */
export function parseOrigin(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) {
    const rest = `${url.pathname}${url.search}${url.hash}${url.username}${url.password}`;
    if (rest === '/') return url.origin;
  }
  throw new InvalidArgumentError(
    'It must be an http or https URL without a path, such as http://127.0.0.1:8788.',
  );
}

export function parseColor(text: string): string {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text;
  throw new InvalidArgumentError('It must have the form #RRGGBB.');
}
