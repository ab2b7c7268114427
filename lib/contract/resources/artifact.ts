import * as v from 'valibot';
import { closedObject } from '../schema/closed-object.ts';
import { documented } from '../schema/fields.ts';
import { QueryBoolean, queryInteger } from '../schema/page.ts';

/** The path parameters of an artifact. The format of the id is not checked; any unknown id returns 404. */
export const ArtifactPath = v.strictObject({ id: v.string() });

export const ArtifactQuery = closedObject({
  download: documented(
    v.optional(QueryBoolean),
    'If true, browsers save the image instead of showing it.',
  ),
});

export const ThumbnailQuery = closedObject({
  edge: documented(
    v.optional(queryInteger(32, 2048), '320'),
    'The maximum width and height in pixels. A smaller image is not enlarged.',
  ),
});

/** The headers that decide between 200, 206, 304 and 416 (RFC 9110, sections 13 and 14). */
export const ArtifactHeaders = v.object({
  'if-none-match': documented(v.optional(v.string()), 'The etag of a cached copy.'),
  range: documented(v.optional(v.string()), 'A single range of bytes, such as bytes=0-1023.'),
});

/** The headers of a thumbnail request. Ranges are not supported because thumbnails are small. */
export const ThumbnailHeaders = v.object({
  'if-none-match': ArtifactHeaders.entries['if-none-match'],
});
