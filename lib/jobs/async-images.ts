import type {
  ArtifactImage,
  ImageResponseWithBytes,
  ImageWithBytes,
} from '../contract/reply/image-response.ts';
import type { AnyImageRequest } from '../contract/request/image-request.ts';
import type { AsyncPreference } from '../contract/request/preference.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import { type ImageJob, isTerminal } from '../contract/resources/job.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { ByteParts } from '../platform/byte-parts.ts';
import type { RecentDurations } from '../runs/image-run.ts';
import type { Jobs } from './jobs.ts';

interface Deps {
  readonly jobs: Pick<Jobs, 'submit' | 'outcome'>;
  readonly artifacts: {
    /** Resolves with the verified bytes of an artifact of this scope. Throws `not_found`, `artifact`. */
    open(scope: string, id: string, signal: AbortSignal): Promise<{ readonly bytes: Buffer }>;
  };
  readonly durations: Pick<RecentDurations, 'typicalMs'>;
}

/** The images in the requested form, or the accepted job that makes the images. */
export type AsyncReply = { readonly replayed: boolean } & (
  | { readonly value: ImageResponseWithBytes; readonly accepted?: undefined }
  | { readonly accepted: ImageJob; readonly retryAfterSecs: number }
);

type Form = AnyImageRequest['output']['response_format'];

/**
 * Creates the function that serves an image request as a job. The job is stored before it starts, and continues if the client
 * disconnects.
 */
export function createAsyncImages({ jobs, artifacts, durations }: Deps) {
  async function toImage(
    image: ArtifactImage,
    form: Form,
    { scope, baseUrl, signal }: RequestContext,
  ): Promise<ImageWithBytes> {
    if (form === 'artifact') return image;
    const { type: _, id, name: __, ...facts } = image;
    if (form === 'url') return { type: form, url: `${baseUrl}/v1/artifacts/${id}`, id, ...facts };
    if (form === 'metadata') return { type: form, ...facts };
    const { bytes } = await artifacts.open(scope, id, signal());
    return { type: form, b64_json: new ByteParts([bytes]), ...facts };
  }

  /**
   * Resolves with the response of an ended job. Resolves with undefined if the images were removed in the meantime or cannot be
   * read now. Throws the failure of the job.
   */
  async function toEnded(
    { job: { result }, error }: Awaited<ReturnType<Jobs['outcome']>>,
    form: Form,
    context: RequestContext,
  ): Promise<ImageResponseWithBytes | undefined> {
    if (!result) throw error ?? new BridgeError('internal', 'a job has no outcome');
    try {
      const data: ImageWithBytes[] = [];
      for (const image of result.data) {
        if (image.type === 'artifact') data.push(await toImage(image, form, context));
      }
      return { ...result, data };
    } catch (thrown) {
      if (['not_found', 'overloaded'].includes(toBridgeError(thrown).code)) return undefined;
      throw thrown;
    }
  }

  /**
   * Resolves with the images if the job ends within the preferred wait, and with the job otherwise, also if the job cannot be read.
   * Throws the error with which the job was rejected or failed.
   */
  return async function replyAsync(
    sent: AnyImageRequest,
    { waitSecs }: AsyncPreference,
    context: RequestContext,
  ): Promise<AsyncReply> {
    const { provider, replayed, job: submitted } = await jobs.submit(sent, context);
    const waitMs = (waitSecs ?? 0) * 1000;
    const outcome =
      waitSecs === undefined
        ? undefined
        : await jobs
            .outcome(context.scope, submitted.id, waitMs, context.signal())
            .catch(ignoreUnavailable);
    if (outcome && isTerminal(outcome.job.status)) {
      const value = await toEnded(outcome, sent.output.response_format, context);
      if (value) return { value, replayed };
    }
    const leftMs = durations.typicalMs(provider) - waitMs;
    return {
      accepted: outcome?.job ?? submitted,
      replayed,
      retryAfterSecs: Math.max(1, Math.ceil(leftMs / 1000)),
    };
  };
}

/** Ignores a failure of the store: the job was accepted, and a client that repeats the request would pay for a second job. */
function ignoreUnavailable(thrown: unknown): undefined {
  if (toBridgeError(thrown).code !== 'overloaded') throw thrown;
}
