import * as v from 'valibot';
import { imageFields, toRequestBody } from '../image-fields.ts';
import { toJobResult } from '../job-result.ts';
import { runJob } from '../run-job.ts';
import { tool } from '../tool.ts';

export const generateImage = tool({
  name: 'generate_image',
  title: 'Generate an image',
  description:
    'Makes images from a prompt. Returns their ids, a preview of each and a link to the whole file. Work that takes long continues as a job: get_job has its images. Example: {"prompt": "a lighthouse at dusk, watercolour", "size": "1536x1024"}',
  input: v.strictObject(imageFields),
  isReadOnly: false,
  async run(input, context) {
    const body = await toRequestBody({ ...input, reference_images: [] }, context);
    return toJobResult(await runJob(body, context), context);
  },
});
