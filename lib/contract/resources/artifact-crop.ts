import * as v from 'valibot';
import { CanvasEdge, MAX_CANVAS } from '../request/image-input.ts';
import { closedObject } from '../schema/closed-object.ts';
import { documented } from '../schema/fields.ts';

const place = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_CANVAS));

/** A rectangle inside an artifact, in its pixels. */
export const ArtifactCrop = closedObject({
  x: documented(place, 'The left edge in the pixels of the image.'),
  y: documented(place, 'The upper edge in the pixels of the image.'),
  width: documented(CanvasEdge, 'The width in pixels. The rectangle ends inside the image.'),
  height: documented(CanvasEdge, 'The height in pixels. The rectangle ends inside the image.'),
});
export type ArtifactCrop = v.InferOutput<typeof ArtifactCrop>;
