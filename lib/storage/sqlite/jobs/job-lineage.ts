import * as v from 'valibot';
import type { JobParent, JobStore } from '../../../jobs/job-store-port.ts';
import {
  PARENT_COLUMNS,
  parseKin,
  parseMasks,
  parseSummary,
  summaryColumns,
} from '../../jobs/job-rows.ts';
import type { StoreDatabase } from '../database.ts';

/** The column `parents` of `parseRecord`. */
export const PARENTS = `
  (SELECT json_group_array(json_array(${PARENT_COLUMNS}))
    FROM (SELECT * FROM job_parent WHERE job_parent.seq = job.seq ORDER BY position)) AS parents`;

const INSERT_PARENT = `
  INSERT INTO job_parent (
    seq, scope, position, artifact_id, name, width, height, created, parent_id, parent_image
  )
  VALUES (
    @sequence, @scope, @input, @artifactId, @name, @width, @height, @createdSecs, @jobId, @image
  )`;
// An artifact belongs to one job. A repeated end of the job stores the same rows.
const INSERT_IMAGES = `
  INSERT INTO job_image (artifact_id, seq, position)
  SELECT value ->> '$.id', seq, key FROM job, json_each(artifacts) WHERE seq = +?
  ON CONFLICT DO NOTHING`;
const LIST_IMAGES = `
  SELECT artifact_id AS artifactId, job.id AS jobId, position AS image
  FROM job_image JOIN job ON job.seq = job_image.seq
  WHERE scope = +@scope AND artifact_id IN (SELECT value FROM json_each(+@ids))`;
const LIST_DERIVED = `
  SELECT ${summaryColumns()} FROM job
  WHERE seq IN (
    SELECT DISTINCT seq FROM job_parent
    WHERE scope = +@scope AND parent_id = +@id AND seq < +@before ORDER BY seq DESC LIMIT +@limit
  )
  ORDER BY seq DESC`;
const LIST_JOBS = `
  SELECT id, seq AS sequence, ${PARENTS} FROM job
  WHERE scope = +@scope AND id IN (SELECT value FROM json_each(+@ids))`;
const LIST_CHILDREN = `
  SELECT id FROM job WHERE seq IN (
    SELECT DISTINCT seq FROM job_parent
    WHERE scope = +@scope AND parent_id IN (SELECT value FROM json_each(+@ids))
    ORDER BY seq DESC LIMIT +@limit
  )
  ORDER BY seq DESC`;

// A job with a mask has at least two input images.
const LIST_MASKS = `
  SELECT job.seq AS sequence, request FROM job JOIN job_content ON job_content.seq = job.seq
  WHERE scope = +@scope AND job.seq IN (SELECT value FROM json_each(+@sequences)) AND inputs > 1`;

const ImageRows = v.array(
  v.object({ artifactId: v.string(), jobId: v.string(), image: v.number() }),
);

export function createJobLineage(
  database: StoreDatabase,
): Pick<JobStore, 'listImages' | 'listDerived' | 'listKin' | 'listMasks'> {
  const listImages = database.prepare(LIST_IMAGES);
  const listDerived = database.prepare(LIST_DERIVED);
  const listJobs = database.prepare(LIST_JOBS);
  const listChildren = database.prepare(LIST_CHILDREN).pluck();
  const listMasks = database.prepare(LIST_MASKS);

  return {
    listImages: (scope, artifactIds) =>
      database.read(() =>
        v.parse(ImageRows, listImages.all({ scope, ids: JSON.stringify(artifactIds) })),
      ),
    listDerived: (scope, id, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      database.read(() => {
        // Reads one row more than the page shows. If this row exists, there is a next page.
        const rows = listDerived.all({ scope, id, before, limit: limit + 1 });
        return { items: rows.slice(0, limit).map(parseSummary), more: rows.length > limit };
      }),
    listKin: (scope, ids, limit) =>
      database.read(() => {
        const of = { scope, ids: JSON.stringify(ids) };
        return {
          jobs: listJobs.all(of).map(parseKin),
          children: v.parse(v.array(v.string()), listChildren.all({ ...of, limit })),
        };
      }),
    listMasks: (scope, sequences) =>
      database.read(() =>
        parseMasks(listMasks.all({ scope, sequences: JSON.stringify(sequences) })),
      ),
  };
}

/** Prepares the function that stores the parents of a new job within the caller's transaction. */
export function prepareParents(database: Pick<StoreDatabase, 'prepare'>) {
  const insert = database.prepare(INSERT_PARENT);
  return (sequence: number, scope: string, parents: readonly JobParent[]): void => {
    for (const parent of parents) {
      insert.run({ jobId: null, image: null, ...parent, sequence, scope });
    }
  };
}

/** Prepares the function that stores the images of an ended job within the transaction that ends the job. */
export function prepareImages(database: Pick<StoreDatabase, 'prepare'>) {
  const insert = database.prepare(INSERT_IMAGES);
  return (sequence: number): void => void insert.run(sequence);
}
