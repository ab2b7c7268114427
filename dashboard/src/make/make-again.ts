import type { Api } from '../api/api.ts';
import type { Job, JobRequest } from '../api/schemas.ts';
import { measureImage } from '../images/measure-image.ts';
import { type StoredInput, storedInputs } from '../jobs/stored-inputs.ts';
import type { Page } from '../page.ts';
import { type Attachment, type DraftContent, NO_EDGE, randomId } from './draft.ts';
import { recallSettings } from './recall-settings.ts';
import { toDataUrl } from './to-request.ts';

type KeptInput = StoredInput & { readonly name: string; readonly blob: Blob };

/** Repeats a job. A successful request is sent again with its input images. Any other job is retried by the bridge. */
export async function repeatJob(
  { api, submissions }: Pick<Page, 'api' | 'submissions'>,
  job: Job,
): Promise<Job> {
  if (job.status !== 'succeeded') return submissions.retry(job.id);
  return submissions.submit(await toRequestAgain(api, job));
}

/** Sends the request of a job as a new job, with the image `reference` of the bridge as one more reference image. */
export async function varyJob(
  { api, submissions }: Pick<Page, 'api' | 'submissions'>,
  job: Job,
  reference: string | undefined,
): Promise<Job> {
  const request = await toRequestAgain(api, job);
  if (reference === undefined) return submissions.submit(request);
  const added = { type: 'artifact' as const, artifact_id: reference };
  const references = [...(request.reference_images ?? []), added];
  return submissions.submit({ ...request, reference_images: references });
}

/** Returns the request of a job with its labels and its input images. Throws ApiError `not_found` if the images no longer exist. */
export async function toRequestAgain(api: Api, job: Job): Promise<JobRequest> {
  const inputs = await readInputs(api, job);
  const sent = await Promise.all(
    inputs.map(async ({ role, name, blob }) => {
      const data_url = await toDataUrl(blob);
      return { role, input: { type: 'data_url' as const, data_url, filename: name } };
    }),
  );
  const of = (wanted: StoredInput['role']) =>
    sent.filter(({ role }) => role === wanted).map(({ input }) => input);
  const { mask: _, ...request } = job.request;
  const [mask] = of('mask');
  return {
    ...request,
    images: of('source'),
    reference_images: of('reference'),
    ...(mask && { mask }),
    ...(job.labels && { labels: [...job.labels] }),
  };
}

/** Returns the request of a job as a draft, to be changed before it is sent again. */
export async function toDraftAgain(api: Api, job: Job): Promise<DraftContent> {
  const inputs = await readInputs(api, job);
  const shown = inputs.filter(({ role }) => role !== 'mask');
  return {
    settings: recallSettings(job.request),
    attachments: await Promise.all(shown.map(toAttachment)),
    mask: inputs.find(({ role }) => role === 'mask')?.blob,
    maskEdge: NO_EDGE,
    labels: job.labels ?? [],
  };
}

function readInputs(api: Api, job: Job): Promise<readonly KeptInput[]> {
  return Promise.all(
    storedInputs(job).map(async (input) => {
      const { path, filename, role, index, format } = input;
      const response = await api.bytes(path);
      const name = filename ?? `${role}-${index + 1}.${format}`;
      return { ...input, name, blob: await response.blob() };
    }),
  );
}

async function toAttachment({ blob, name, format, role }: KeptInput): Promise<Attachment> {
  const size = await measureImage(blob);
  if (size === undefined) throw new Error('an input of the job cannot be decoded');
  return {
    key: randomId(),
    name,
    role: role === 'reference' ? 'reference' : 'source',
    format,
    ...size,
    bytes: blob.size,
    content: blob,
  };
}
