import * as v from 'valibot';
import type { ArtifactRecord, ArtifactStore } from '../artifacts/artifact-store-port.ts';
import { ImageRequest } from '../contract/request/image-request.ts';
import { CROP_MODEL, OWN_PROVIDER } from '../contract/request/own-work.ts';
import type { RequestContext } from '../contract/request/request-context.ts';
import type { ArtifactCrop } from '../contract/resources/artifact-crop.ts';
import { invalidField } from '../contract/schema/issues.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Jobs } from './jobs.ts';

interface Deps {
  readonly artifacts: Pick<ArtifactStore, 'find'>;
  readonly jobs: Pick<Jobs, 'submit'>;
}

export type ArtifactCrops = ReturnType<typeof createArtifactCrops>;

/**
 * The priority of a crop. The priority is high because a crop takes less than a second and a user waits for the result. A user can
 * still move another job before a crop, because the priority is not the highest.
 */
const PRIORITY = 50;

/** Crops artifacts. A crop is a job that the bridge runs without a model, so nothing is charged for it. */
export function createArtifactCrops({ artifacts, jobs }: Deps) {
  return {
    /**
     * Resolves when the job of the crop is durably queued. If an equal request with the same idempotency key was accepted earlier,
     * resolves with the earlier job. Throws `not_found` if the scope has no such artifact, `invalid_request` if a part of the
     * rectangle is outside the image, and any error that `submit` throws.
     */
    async crop(
      id: string,
      canvas: ArtifactCrop,
      context: RequestContext,
    ): ReturnType<Deps['jobs']['submit']> {
      const artifact = await artifacts.find(context.scope, id);
      if (artifact === undefined) throw new BridgeError('not_found', 'artifact not found');
      refuseOutside(artifact, canvas);
      const request = v.parse(ImageRequest, {
        operation: 'edit',
        prompt: 'Crop',
        images: [{ type: 'artifact', artifact_id: id, canvas }],
        output: { response_format: 'artifact' },
      });
      const routing = { ...request.routing, provider: OWN_PROVIDER, model: CROP_MODEL };
      return jobs.submit({ ...request, routing, priority: PRIORITY }, context);
    },
  };
}

/** Throws `invalid_request` with the first field that places a part of the rectangle outside the image. */
function refuseOutside(
  image: Pick<ArtifactRecord, 'width' | 'height'>,
  { x, y, width, height }: ArtifactCrop,
): void {
  const outside = [
    ['x', x >= image.width, `${image.width} pixels wide`],
    ['y', y >= image.height, `${image.height} pixels high`],
    ['width', x + width > image.width, `${image.width} pixels wide`],
    ['height', y + height > image.height, `${image.height} pixels high`],
  ] as const;
  for (const [field, isOutside, size] of outside) {
    if (!isOutside) continue;
    throw invalidField(field, 'outside_image', `must stay inside the image, which is ${size}`);
  }
}
