import * as v from 'valibot';
import { Provenance } from '../reply/provenance.ts';
import { OUTPUT_FORMATS } from '../request/parameters.ts';
import { closedObject } from '../schema/closed-object.ts';
import { ArtifactId, Count, documented, storableText } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
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
  'x-artifact-redirect': documented(
    v.optional(v.literal('never')),
    'With never, the reply contains the bytes even if the bridge redirects downloads of large images.',
  ),
});

/** The headers of a thumbnail request. Ranges are not supported because thumbnails are small. */
export const ThumbnailHeaders = v.object({
  'if-none-match': ArtifactHeaders.entries['if-none-match'],
});

/** The maximum length of the note of an image, in characters. */
const MAX_NOTE = 500;

/** The marks of one image of a job, which its owner sets. */
export const imageMarkEntries = {
  favorite: documented(v.optional(v.boolean()), 'True if the image is a favourite.'),
  hidden: documented(v.optional(v.boolean()), 'True if the image is hidden.'),
  note: documented(v.optional(v.string()), 'The note of the owner.'),
};

/** An image of an ended job, with its marks. A mark that is not set is absent. */
export const JobArtifact = v.strictObject({
  id: ArtifactId,
  width: Count,
  height: Count,
  format: v.picklist(OUTPUT_FORMATS),
  bytes: Count,
  provenance: documented(
    v.optional(v.pick(Provenance, ['found', 'credentials'])),
    'The credentials of the image: those that were found, and those of the delivered file. Absent for images of earlier versions.',
  ),
  ...imageMarkEntries,
});
export type JobArtifact = v.InferOutput<typeof JobArtifact>;

/** The mutable fields of an image, of which at least one is required. */
export const ArtifactPatch = v.pipe(
  closedObject({
    favorite: documented(
      v.optional(v.boolean()),
      'true marks the image, and its job, as a favourite. false removes the mark of the image, and with the last one the mark of the job.',
    ),
    hidden: documented(
      v.optional(v.boolean()),
      'true hides the image, and its job if all its images are hidden. false shows the image, and its job.',
    ),
    note: documented(
      v.optional(storableText(MAX_NOTE)),
      'A note on the image. An empty text removes the note.',
    ),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    const isObject = !dataset.issues?.some((issue) => issue.path === undefined);
    if (isObject && Object.keys(Object(dataset.value)).length === 0) {
      addIssue({ message: coded('required', 'must contain favorite, hidden or note') });
    }
  }),
  v.metadata({ minProperties: 1 }),
);
export type ArtifactPatch = v.InferOutput<typeof ArtifactPatch>;

/** An image after a change of its marks, with the job that made the image. */
export const MarkedArtifact = v.strictObject({
  ...JobArtifact.entries,
  job_id: documented(v.pipe(v.string(), v.uuid()), 'The id of the job that made the image.'),
  image: documented(Count, 'The position of the image in the `artifacts` of that job.'),
});
export type MarkedArtifact = v.InferOutput<typeof MarkedArtifact>;
