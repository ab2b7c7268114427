import * as v from 'valibot';
import type { ImageJob } from '../../contract/resources/job.ts';
import { documented } from '../../contract/schema/documented.ts';
import { ShortText } from '../../contract/schema/text.ts';
import { hasEnded } from '../run-job.ts';
import { textResult, tool } from '../tool.ts';

export const cancelJob = tool({
  name: 'cancel_job',
  title: 'Cancel a job',
  description:
    'Cancels a job that has not ended. What a provider has begun may be paid for nevertheless. Example: {"id": "0199f0a0-0000-7000-8000-000000000001"}',
  input: v.strictObject({ id: documented(ShortText, 'The id of the job.') }),
  isReadOnly: false,
  async run({ id }, { api, signal }) {
    const job = await api.json<ImageJob>('DELETE /v1/jobs/{id}', { path: { id }, signal });
    return textResult(
      hasEnded(job) ? `Job ${id} has ended: ${job.status}.` : `Job ${id} is being cancelled.`,
    );
  },
});
