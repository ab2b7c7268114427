import type { Postgres, Queries } from '../connection.ts';

/** The bytes of stored images that count in the ordinary history of a scope. */
export interface ImageBytes {
  readonly scope: string;
  readonly bytes: number;
}

/**
 * Counts stored images. An image counts once in the history, with the newest job that uses the image, so a change of one job may
 * change the counts of the scope of another job.
 */
export function createJobImages({ schema }: Pick<Postgres, 'schema'>) {
  const LIST = `
    SELECT DISTINCT sha256 FROM ${schema}.job_input WHERE seq = ANY ($1::bigint[]) ORDER BY sha256`;
  // The locks end with the transaction.
  const LOCK = `
    SELECT pg_advisory_xact_lock(hashtextextended(sha256, 0)) FROM unnest($1::text[]) AS sha256`;
  const HELD = `
    SELECT scope, sum(bytes) AS bytes FROM (
      SELECT DISTINCT ON (sha256) sha256, job_input.bytes, scope,
        completed IS NOT NULL AND favorite = 0 AS is_ordinary
      FROM ${schema}.job_input JOIN ${schema}.job ON job.seq = job_input.seq
      WHERE sha256 = ANY ($1::text[]) ORDER BY sha256, job_input.seq DESC
    ) AS newest
    WHERE is_ordinary GROUP BY scope`;
  const UNUSED = `
    SELECT sha256 FROM unnest($1::text[]) AS sha256
    WHERE NOT EXISTS (SELECT FROM ${schema}.job_input WHERE job_input.sha256 = sha256.sha256)`;

  const held = async ({ rows }: Queries, sha256s: readonly string[]) =>
    sha256s.length === 0 ? [] : await rows<ImageBytes>(HELD, [sha256s]);

  async function list(
    { rows }: Queries,
    jobs: readonly { readonly sequence: number; readonly inputs: number }[],
  ): Promise<readonly string[]> {
    const sequences = jobs.filter(({ inputs }) => inputs > 0).map(({ sequence }) => sequence);
    if (sequences.length === 0) return [];
    return (await rows<{ sha256: string }>(LIST, [sequences])).map(({ sha256 }) => sha256);
  }

  async function lock({ rows }: Queries, sha256s: readonly string[]): Promise<void> {
    if (sha256s.length > 0) await rows(LOCK, [sha256s.toSorted()]);
  }

  return {
    /** Resolves with the SHA-256 of the images of these jobs. */
    list,

    /**
     * Locks images until the end of the transaction. Called after rows of jobs are locked, and before their states and their use
     * of the images change.
     */
    lock,

    /** Resolves with the bytes of these images that count in each scope. */
    held,

    /**
     * Resolves with the difference that `work` makes in the bytes that count in each scope, for the images of these locked jobs.
     */
    async countingOf(
      queries: Queries,
      jobs: readonly { readonly sequence: number; readonly inputs: number }[],
      work: () => Promise<unknown>,
    ): Promise<readonly ImageBytes[]> {
      const sha256s = await list(queries, jobs);
      await lock(queries, sha256s);
      const before = await held(queries, sha256s);
      await work();
      const after = await held(queries, sha256s);
      return [...after, ...before.map(({ scope, bytes }) => ({ scope, bytes: -bytes }))];
    },

    /** Resolves with the images of the list that no job uses. */
    async unused({ rows }: Queries, sha256s: readonly string[]): Promise<readonly string[]> {
      if (sha256s.length === 0) return [];
      return (await rows<{ sha256: string }>(UNUSED, [sha256s])).map(({ sha256 }) => sha256);
    },
  };
}
