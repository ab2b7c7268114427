import * as v from 'valibot';
import { ImageJobSummary } from '../../../contract/resources/job.ts';
import type { JobStore } from '../../../jobs/job-store-port.ts';
import { changeMarks } from '../../jobs/image-marks.ts';
import { Flag } from '../../rows.ts';
import type { StoreDatabase } from '../database.ts';
import type { JobChanges } from './job-change-feed.ts';
import type { JobCounts } from './job-counts.ts';

const FIND = `
  SELECT
    job.seq AS sequence, id AS jobId, favorite, own_favorite AS ownFavorite, deleted AS deletedSecs,
    artifacts
  FROM job_image JOIN job ON job.seq = job_image.seq
  WHERE artifact_id = +? AND scope = +?`;
const MARK = `
  UPDATE job SET
    favorite = @favorite, own_favorite = @ownFavorite, deleted = @deletedSecs, updated = @atSecs,
    artifacts = @artifacts,
    bytes = bytes + octet_length(@artifacts) - octet_length(artifacts)
  WHERE seq = @sequence`;

const FoundRow = v.optional(
  v.object({
    sequence: v.number(),
    jobId: v.string(),
    favorite: Flag,
    ownFavorite: Flag,
    deletedSecs: v.nullable(v.number()),
    artifacts: v.pipe(v.string(), v.parseJson(), ImageJobSummary.entries.artifacts),
  }),
);

/** Creates the method that marks images. */
export function createImageMarks(
  database: StoreDatabase,
  {
    counts,
    changes,
  }: {
    readonly counts: Pick<JobCounts, 'counting'>;
    readonly changes: Pick<JobChanges, 'note'>;
  },
): Pick<JobStore, 'markImage'> {
  const find = database.prepare(FIND);
  const mark = database.prepare(MARK);

  return {
    markImage: (scope, artifactId, change) =>
      database.write(() => {
        const found = v.parse(FoundRow, find.get(artifactId, scope));
        if (found === undefined) return undefined;
        const { sequence, jobId, ...before } = found;
        const after = changeMarks(before, artifactId, change);
        if (after !== before) {
          const marks = {
            sequence,
            atSecs: change.atSecs,
            favorite: Number(after.favorite),
            ownFavorite: Number(after.ownFavorite),
            deletedSecs: after.deletedSecs,
            artifacts: JSON.stringify(after.artifacts),
          };
          counts.counting([sequence], () => mark.run(marks));
          changes.note(sequence, scope);
        }
        const position = after.artifacts.findIndex(({ id }) => id === artifactId);
        const artifact = after.artifacts[position];
        return artifact && { jobId, position, artifact };
      }),
  };
}
