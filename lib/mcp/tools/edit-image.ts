import * as v from 'valibot';
import { imageFields, inputFields, toRequestBody } from '../image-fields.ts';
import { toJobResult } from '../job-result.ts';
import { runJob } from '../run-job.ts';
import { tool } from '../tool.ts';

export const editImage = tool({
  name: 'edit_image',
  title: 'Edit an image',
  description:
    'Changes an image as a prompt says: everywhere, or where a mask is transparent. Returns what generate_image returns. Example: {"images": ["4f1c5d2e8a9b40c1b6d7e8f901234567"], "prompt": "the same street in winter"}',
  input: v.strictObject({ ...inputFields, ...imageFields }),
  isReadOnly: false,
  async run(input, context) {
    return toJobResult(await runJob(await toRequestBody(input, context), context), context);
  },
});
