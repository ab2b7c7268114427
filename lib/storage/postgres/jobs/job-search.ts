import type { SearchTerms } from '../../../contract/resources/search-terms.ts';
import { BridgeError } from '../../../errors/bridge-error.ts';
import type { JobPageRequest, JobSearch, JobSearchFilter } from '../../../jobs/job-store-port.ts';
import { createSemaphore } from '../../../platform/semaphore.ts';
import { foldTerms } from '../../jobs/fold-prompt.ts';
import type { Postgres, Queries } from '../connection.ts';
import { type Condition, filterSql, matchingSql, matchingValues } from './job-list.ts';

// The newest jobs of the list answer most searches without the index.
const NEWEST_JOBS = 2048;

// Searches leave most connections to other work.
const MAX_RUNNING = 2;
// The maximum number of waiting searches. Further searches are rejected, because an error is better for a client than a longer
// wait.
const MAX_WAITING = 64;

/**
 * Resolves with false if the index ignores letters outside ASCII, as with the `LC_CTYPE` C. A search for such letters then reads
 * all prompts.
 */
export async function hasAllTrigrams({ rows }: Queries): Promise<boolean> {
  // The schema of the extension was chosen by the administrator who created it.
  const [found] = await rows<{ query: string }>(`
    SELECT format('SELECT cardinality(%I.show_trgm(''語'')) AS trigrams', nspname) AS query
    FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'pg_trgm'`);
  if (found === undefined) return true;
  const [counted] = await rows<{ trigrams: number }>(found.query);
  return counted !== undefined && counted.trigrams > 0;
}

interface Request extends JobPageRequest {
  readonly scope: string;
  readonly filter: JobSearchFilter;
}

interface Options {
  /** The number of jobs that one query reads without the index. */
  readonly newestJobs?: number;
}

/**
 * Finds jobs by their folded prompts, which are stored with the jobs. First reads the newest jobs of the list, and then the hits of
 * the index, because a common text is in many jobs and a rare text is in few.
 */
export function createJobSearch(
  database: Pick<Postgres, 'schema' | 'read'>,
  { newestJobs = NEWEST_JOBS }: Options = {},
): JobSearch {
  const { schema, read } = database;
  const slots = createSemaphore(MAX_RUNNING);

  /** Searches the newest jobs of the list below `before`. `lowest` is the last of them, or undefined if no older job follows. */
  async function findInNewest({ scope, filter, before = Number.MAX_SAFE_INTEGER, limit }: Request) {
    const page = matchingValues(filter, { scope, before, limit: newestJobs });
    const terms = termsSql(filter.terms, page.length + 2);
    const sql = `
      WITH newest AS MATERIALIZED (${matchingSql(schema, filter)})
      SELECT
        (SELECT count(*) FROM newest) AS count,
        (SELECT min(seq) FROM newest) AS lowest,
        ARRAY (
          SELECT seq FROM newest JOIN ${schema}.job_text USING (seq)
          WHERE ${terms.sql} ORDER BY seq DESC LIMIT $${page.length + 1}
        ) AS found`;
    const [row] = await read(({ rows }) =>
      rows<{ count: number; lowest: number | null; found: readonly number[] }>(sql, [
        ...page,
        limit,
        ...terms.values,
      ]),
    );
    const { count = 0, lowest = null, found = [] } = row ?? {};
    return { found, lowest: lowest === null || count < newestJobs ? undefined : lowest };
  }

  /** Searches all jobs below `before` in the index. */
  async function findInIndex({ scope, filter, before, limit }: Request) {
    const filters = filterSql(schema, filter, 4);
    const terms = termsSql(filter.terms, 4 + filters.values.length);
    const sql = `
      WITH hit AS MATERIALIZED (
        SELECT seq FROM ${schema}.job_text WHERE scope = $1 AND seq < $2 AND ${terms.sql}
      )
      SELECT seq AS sequence FROM hit JOIN ${schema}.job USING (seq)
      WHERE ${filters.sql} ORDER BY seq DESC LIMIT $3`;
    const values = [scope, before, limit, ...filters.values, ...terms.values];
    const found = await read(({ rows }) => rows<{ sequence: number }>(sql, values));
    return found.map(({ sequence }) => sequence);
  }

  /** Resolves with at most `limit` sequences. */
  async function search(request: Request, signal: AbortSignal): Promise<readonly number[]> {
    const found: number[] = [];
    let { before } = request;
    for (;;) {
      signal.throwIfAborted();
      const limit = request.limit - found.length;
      const newest = await findInNewest({ ...request, ...(before && { before }), limit });
      found.push(...newest.found);
      before = newest.lowest;
      if (before === undefined || found.length === request.limit) return found;
      // Without a text to find, the index finds nothing faster.
      if (request.filter.terms.all.length > 0) break;
    }
    const rest = { ...request, before, limit: request.limit - found.length };
    return [...found, ...(await findInIndex(rest))];
  }

  return {
    async find(scope, { terms, ...filter }, page, signal) {
      signal.throwIfAborted();
      if (slots.counts().waiting >= MAX_WAITING) {
        throw new BridgeError('overloaded', 'too many searches are waiting');
      }
      const folded = { ...filter, terms: foldTerms(terms) };
      // One sequence more than the page shows. If this job exists, there is a next page.
      const request = { ...page, scope, filter: folded, limit: page.limit + 1 };
      const found = await slots.run(() => search(request, signal), signal);
      return { sequences: found.slice(0, page.limit), more: found.length > page.limit };
    },
  };
}

/** Returns the condition that a folded prompt matches folded terms. `first` is the number of the first parameter. */
function termsSql({ all, none }: SearchTerms, first: number): Condition {
  const likes = [...all.map(() => 'LIKE'), ...none.map(() => 'NOT LIKE')];
  return {
    sql: ['true', ...likes.map((like, at) => `folded ${like} $${first + at}`)].join(' AND '),
    values: [...all, ...none].map(toPattern),
  };
}

/** Returns the pattern of `LIKE` for texts that contain this text. */
function toPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
