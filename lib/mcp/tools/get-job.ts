import * as v from 'valibot';
import type { ImageJob } from '../../contract/resources/job.ts';
import { documented } from '../../contract/schema/documented.ts';
import { ShortText } from '../../contract/schema/text.ts';
import { toJobResult } from '../job-result.ts';
import { MAX_WAIT_S, waitForJob } from '../run-job.ts';
import { tool } from '../tool.ts';

export const getJob = tool({
  name: 'get_job',
  title: 'Look at a job',
  description:
    'The state of a job: its images with previews once it has succeeded, why it failed, or that it still runs. Can wait for its end. Example: {"id": "0199f0a0-0000-7000-8000-000000000001", "wait_seconds": 30}',
  input: v.strictObject({
    id: documented(ShortText, 'The id of the job.'),
    wait_seconds: documented(
      v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(MAX_WAIT_S)), 0),
      'How long to wait for its end.',
    ),
  }),
  isReadOnly: true,
  async run({ id, wait_seconds }, context) {
    const { api, signal } = context;
    const job = await api.json<ImageJob>('GET /v1/jobs/{id}', { path: { id }, signal });
    return toJobResult(await waitForJob(job, wait_seconds, context), context);
  },
});
