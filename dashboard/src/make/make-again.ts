import type { Api } from '../api/api.ts';
import type { ImageRequest, Job } from '../api/schemas.ts';
import { measureImage } from '../images/measure-image.ts';
import type { Page } from '../page.ts';
import type { Attachment, DraftContent } from './draft.ts';
import { randomId } from './random-id.ts';
import { recallSettings } from './recall-settings.ts';
import { toDataUrl } from './to-request.ts';

type StoredInput = Job['request']['images'][number];
type Role = Attachment['role'] | 'mask';

interface KeptInput {
  readonly role: Role;
  readonly name: string;
  readonly format: Attachment['format'];
  readonly blob: Blob;
}

/** Repeats a job. A successful job is sent again with its input images. Any other job is retried by the bridge. */
export async function repeatJob(
  { api, submissions }: Pick<Page, 'api' | 'submissions'>,
  job: Job,
): Promise<Job> {
  if (job.status !== 'succeeded') return submissions.retry(job.id);
  return submissions.submit(await toRequestAgain(api, job));
}

/**
 * Returns the request of a job with its input images, ready to be sent again. Throws ApiError `not_found` if the images
 * are no longer stored.
 */
async function toRequestAgain(api: Api, job: Job): Promise<ImageRequest> {
  const inputs = await readInputs(api, job);
  const { images, mask, reference_images, ...request } = job.request;
  const of = (role: Role) => Promise.all(inputs.filter((it) => it.role === role).map(toInput));
  const [sources, [maskInput], references] = await Promise.all([
    of('source'),
    of('mask'),
    of('reference'),
  ]);
  return {
    ...request,
    images: sources,
    reference_images: references,
    ...(maskInput && { mask: maskInput }),
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
  };
}

/**
 * Reads the input images. The bridge numbers the inputs of a job through its images, then its mask, then its
 * references.
 */
async function readInputs(api: Api, { id, request }: Job): Promise<readonly KeptInput[]> {
  const listed: readonly (readonly [Role, StoredInput])[] = [
    ...request.images.map((it) => ['source', it] as const),
    ...(request.mask === null ? [] : [['mask', request.mask] as const]),
    ...request.reference_images.map((it) => ['reference', it] as const),
  ];
  return Promise.all(
    listed.map(async ([role, { filename, media_type }], index) => {
      const response = await api.bytes(`/v1/jobs/${id}/inputs/${index}`);
      const format = FORMATS[media_type];
      const name = filename ?? `${role}-${index + 1}.${format}`;
      return { role, name, format, blob: await response.blob() };
    }),
  );
}

const FORMATS = { 'image/png': 'png', 'image/jpeg': 'jpeg', 'image/webp': 'webp' } as const;

async function toInput({ blob, name }: KeptInput) {
  return { type: 'data_url' as const, data_url: await toDataUrl(blob), filename: name };
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
