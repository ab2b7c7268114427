import type * as v from 'valibot';
import type { JobCreate, Webhook } from '../../lib/contract/resources/job.ts';
import type { PresetTemplate } from '../../lib/contract/resources/preset.ts';

/** The body of `POST /v1/jobs`. */
export type RequestBody = v.InferInput<typeof JobCreate>;

/** What the options of a command say about the image. */
export interface ImageOptions {
  readonly count: number | undefined;
  readonly size: string | undefined;
  readonly quality: string | undefined;
  readonly format: 'png' | 'jpeg' | 'webp' | undefined;
  readonly background: 'auto' | 'opaque' | 'transparent' | undefined;
  readonly negative: string | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly session: string | undefined;
  readonly timeout: number | undefined;
  readonly priority: number | undefined;
  readonly webhook: string | undefined;
  readonly webhookEvent: readonly Webhook['events'][number][];
}

/** The files of a request, read. */
export interface ImageFiles {
  readonly image: Buffer | undefined;
  readonly mask: Buffer | undefined;
  readonly references: readonly Buffer[];
}

/** The request of a command line: the preset, and over it what the options name. The service checks all of it. */
export function toRequest(
  prompt: string,
  options: ImageOptions,
  { image, mask, references }: ImageFiles,
  template: PresetTemplate | undefined,
): RequestBody {
  const { count, size, quality, format, background, negative, provider, model } = options;
  const { session, timeout, priority, webhook, webhookEvent } = options;
  return {
    ...template,
    prompt,
    operation: image === undefined ? 'generate' : 'edit',
    ...(image === undefined ? {} : { images: [toInput(image)] }),
    ...(mask === undefined ? {} : { mask: toInput(mask) }),
    ...(references.length === 0 ? {} : { reference_images: references.map(toInput) }),
    ...(negative === undefined ? {} : { negative_prompt: negative }),
    ...(timeout === undefined ? {} : { timeout_ms: timeout * 1000 }),
    ...(priority === undefined ? {} : { priority }),
    ...(webhook === undefined ? {} : { webhook: toWebhook(webhook, webhookEvent) }),
    parameters: {
      ...template?.parameters,
      ...named({ n: count, size, output_format: format, background }),
      // Which names a model takes is for the service to say.
      ...named({ quality: quality as 'auto' | undefined }),
    },
    routing: { ...template?.routing, ...named({ provider, model }) },
    session:
      session === undefined ? { ...template?.session } : { mode: 'persistent', key: session },
  };
}

function toWebhook(url: string, events: ImageOptions['webhookEvent']): RequestBody['webhook'] {
  return events.length === 0 ? { url } : { url, events: [...events] };
}

function toInput(bytes: Buffer): { readonly type: 'base64'; readonly data: string } {
  return { type: 'base64', data: bytes.toString('base64') };
}

/** Without the fields that are undefined. */
function named<const T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // `Object.entries` forgets what the keys are.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
