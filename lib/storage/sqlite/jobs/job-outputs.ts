import * as v from 'valibot';
import type { ArtifactImage } from '../../../contract/reply/image-response.ts';
import type { PartialResult } from '../../../contract/resources/job.ts';
import { ARTIFACT_COLUMNS, ArtifactRow } from '../artifact-rows.ts';
import type { StateDatabase } from '../database.ts';
import { isAbandonedSql } from '../owner-lease.ts';

const LIST_PENDING = `
  SELECT ${ARTIFACT_COLUMNS}, image AS facts FROM job_output JOIN artifact ON artifact.id = artifact_id
  WHERE seq = +@sequence AND state = 'pending'
    AND artifact_id IN (SELECT value FROM json_each(+@ids))`;
const PUBLISH = `
  UPDATE artifact SET state = 'published', owner = NULL WHERE state = 'pending' AND id = ?`;
const REMOVE = 'DELETE FROM job_output WHERE seq = ?';
/** Binds `@owner`, `@nowSecs`. */
export const LIST_ABANDONED_OUTPUTS = `
  SELECT ${ARTIFACT_COLUMNS} FROM artifact
  WHERE state = 'pending' AND id IN (
    SELECT artifact_id FROM job_output JOIN job ON job.seq = job_output.seq
    WHERE job.status = 'running' AND ${isAbandonedSql('job')})`;

const Facts = v.object({
  index: v.number(),
  generation_ms: v.optional(v.number()),
  revised_prompt: v.optional(v.string()),
});
const PendingRows = v.array(
  v.intersect([ArtifactRow, v.object({ facts: v.pipe(v.string(), v.parseJson(), Facts) })]),
);

/** The images that a job has published, for the transaction that ends it. */
export interface JobOutputs {
  /** Makes the pending ones of these artifacts its scope's, whichever process has published them. Undefined if there are none. */
  keep(sequence: number, ids: readonly string[]): PartialResult | undefined;
  /** Forgets all links of the job. */
  remove(sequence: number): void;
}

export function prepareJobOutputs(database: StateDatabase): JobOutputs {
  const listPending = database.prepare(LIST_PENDING);
  const publish = database.prepare(PUBLISH);
  const remove = database.prepare(REMOVE);
  return {
    keep(sequence, ids) {
      if (ids.length === 0) return undefined;
      const found = listPending.all({ sequence, ids: JSON.stringify(ids) });
      const data = v.parse(PendingRows, found).map(toImage);
      for (const { id } of data) publish.run(id);
      return data.length === 0 ? undefined : { data: data.sort((a, b) => a.index - b.index) };
    },
    remove: (sequence) => void remove.run(sequence),
  };
}

function toImage(
  row: v.InferOutput<typeof PendingRows>[number],
): ArtifactImage & { index: number } {
  const { id, name, format, width, height, bytes, sha256, sidecar, facts } = row;
  const image = { id, name, format, width, height, bytes, sha256 };
  return {
    type: 'artifact',
    ...image,
    ...facts,
    ...(sidecar ? { metadata_name: sidecar.name } : {}),
  };
}
