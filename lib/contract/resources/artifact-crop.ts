import * as v from 'valibot';
import { closedObject } from '../schema/closed-object.ts';
import { documented } from '../schema/fields.ts';

/** The maximum edge of an image, in pixels. */
const MAX_EDGE = 65_535;

const place = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_EDGE));
const edge = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_EDGE));

/** A rectangle inside an artifact, in its pixels. */
export const ArtifactCrop = closedObject({
  x: documented(place, 'The left edge in the pixels of the image.'),
  y: documented(place, 'The upper edge in the pixels of the image.'),
  width: documented(edge, 'The width in pixels. The rectangle ends inside the image.'),
  height: documented(edge, 'The height in pixels. The rectangle ends inside the image.'),
});
export type ArtifactCrop = v.InferOutput<typeof ArtifactCrop>;
