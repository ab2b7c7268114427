import * as v from 'valibot';
import { closedObject } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { QueryBoolean, queryInteger } from '../schema/page.ts';

/** An id that no artifact has, whatever its form, is a 404; its form is not checked. */
export const ArtifactPath = v.strictObject({ id: v.string() });

export const ArtifactQuery = closedObject({
  download: documented(v.optional(QueryBoolean), 'true asks browsers to save it.'),
});

export const ThumbnailQuery = closedObject({
  edge: documented(
    v.optional(queryInteger(32, 2048), '320'),
    'The longest edge in pixels; a smaller image is never enlarged.',
  ),
});

/** The headers that decide between 200, 206, 304 and 416 (RFC 9110, 13 and 14). Others are not looked at. */
export const ArtifactHeaders = v.object({
  'if-none-match': documented(v.optional(v.string()), 'The etag of a copy that you hold.'),
  range: documented(v.optional(v.string()), 'One part of the bytes, such as bytes=0-1023.'),
});

/** A thumbnail is small and comes whole. */
export const ThumbnailHeaders = v.object({
  'if-none-match': ArtifactHeaders.entries['if-none-match'],
});
