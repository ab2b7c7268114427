import * as v from 'valibot';
import type { ImagePlan } from '../../contract/reply/image-plan.ts';
import { ArtifactCrop } from '../../contract/resources/artifact-crop.ts';
import { Labels } from '../../contract/resources/label.ts';
import { ArtifactId, documented } from '../../contract/schema/fields.ts';
import { ImageArguments, imageFields, inputFields, toRequestBody } from '../image-fields.ts';
import { toJobResult } from '../job-result.ts';
import { runCreated, runJob } from '../run-job.ts';
import { textResult, tool } from '../tool.ts';

const labelField = {
  labels: documented(
    v.optional(Labels, []),
    'Labels of the job, by which list_jobs finds the job, for example ["poster"].',
  ),
};

export const generateImage = tool({
  name: 'generate_image',
  title: 'Generate an image',
  description:
    'Generates images from a prompt. Returns the id, a preview and a link to the whole file of each image. If the images take long, returns a job, and get_job returns the images. Example: {"prompt": "a lighthouse at dusk, watercolour", "size": "1536x1024"}',
  input: v.strictObject({ ...imageFields, ...labelField }),
  isReadOnly: false,
  async run({ labels, ...input }, context) {
    const body = await toRequestBody({ ...input, reference_images: [] }, context);
    return toJobResult(await runJob({ ...body, labels }, context), context);
  },
});

export const editImage = tool({
  name: 'edit_image',
  title: 'Edit an image',
  description:
    'Edits images as described by a prompt: the whole image, or only the area where a mask is transparent. Returns the same as generate_image. Example: {"images": ["4f1c5d2e8a9b40c1b6d7e8f901234567"], "prompt": "the same street in winter"}',
  input: v.strictObject({ ...inputFields, ...imageFields, ...labelField }),
  isReadOnly: false,
  async run({ labels, ...input }, context) {
    const body = await toRequestBody(input, context);
    return toJobResult(await runJob({ ...body, labels }, context), context);
  },
});

export const cropImage = tool({
  name: 'crop_image',
  title: 'Crop an image',
  description:
    'Cuts a rectangle out of a stored image without a model, free of charge. Returns the same as generate_image. Example: {"image": "4f1c5d2e8a9b40c1b6d7e8f901234567", "x": 80, "y": 32, "width": 160, "height": 128}',
  input: v.strictObject({
    image: documented(ArtifactId, 'The id of the image.'),
    ...ArtifactCrop.entries,
  }),
  isReadOnly: false,
  async run({ image, ...area }, context) {
    const request = { path: { id: image }, body: area };
    const job = await runCreated('POST /v1/artifacts/{id}/crop', request, context);
    return toJobResult(job, context);
  },
});

export const planImage = tool({
  name: 'plan_image',
  title: 'Plan an image',
  description:
    'Returns the plan of generate_image or edit_image without generating images: the model, the number of provider calls, changes to the request, and errors. Costs nothing. Example: {"prompt": "a banner", "size": "3000x500"}',
  input: ImageArguments,
  isReadOnly: true,
  async run(input, context) {
    const body = await toRequestBody(input, context);
    const { signal, api } = context;
    const plan = await api.json<ImagePlan>('POST /v1/plan', { body, signal });
    return textResult(...plan.routes.map((route, index) => lineOf(route, index === plan.chosen)));
  },
});

type Route = ImagePlan['routes'][number];

function lineOf(route: Route, isChosen: boolean): string {
  const { provider, model, calls, effective, normalizations, ready, error } = route;
  const head = `${isChosen ? 'Chosen' : 'Not chosen'}: ${model} (${provider})`;
  if (error && calls === 0)
    return `${head} would reject the request: ${error.code}: ${error.message}`;
  const changes = normalizations.map(
    ({ field, requested, effective: made }) =>
      `${field} ${JSON.stringify(requested)} becomes ${JSON.stringify(made)}`,
  );
  const parts = [
    `${calls} ${calls === 1 ? 'call' : 'calls'}`,
    `size ${effective?.size ?? 'auto'}`,
    ...changes,
    ...(ready ? [] : [`the provider is not ready now${error ? `: ${error.message}` : ''}`]),
  ];
  return `${head}: ${parts.join('; ')}.`;
}
